import type { Role } from "../../core/ports/model.ts";
import { isOnThisMachine } from "../resolve/model-place.ts";
import { withUsualVariables } from "../resolve/usual-variables.ts";
import type { Config } from "../schema.ts";

/** The names of models that might not run on this machine. A model given as an object could be anywhere. */
export function findRemoteModels(
  models: Readonly<Record<Role, string>>,
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const ids = [...new Set(Object.values(models))];
  const whole = withUsualVariables(config, ids, env);
  return ids.filter((id) => !isOnThisMachine(id, whole));
}
