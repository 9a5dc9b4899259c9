import { WhetstoneError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Role } from "../core/ports/model.ts";
import { loadNamedScorers } from "./load-custom-scorers.ts";
import { parseConfig } from "./parse-config.ts";
import { resolveConfig } from "./resolve.ts";
import type { Resolved } from "./resolved.ts";

export interface WorkerPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The run as this machine sees it; refused where it would not do the same as the coordinator's. */
export async function resolveForWorker(
  settings: JsonObject,
  { env }: WorkerPlace,
): Promise<{ readonly resolved: Resolved; readonly journal: string }> {
  const { roles, environment, agents, scorers, journal, cwd } = settings as unknown as {
    readonly roles: readonly Role[];
    readonly environment: string;
    readonly agents: Readonly<Record<string, string>>;
    readonly scorers: readonly string[];
    readonly journal: string;
    readonly cwd: string;
  };
  const config = parseConfig(settings["config"], "The run's settings");
  const resolved = await resolveConfig(config, { cwd, env, roles, withoutTasks: true });
  if (resolved.environment.version !== environment) {
    throw differs("environment", resolved.environment.version, environment);
  }
  for (const [id, version] of Object.entries(agents)) {
    const own = resolved.agents?.get(id)?.version ?? "none";
    if (own !== version) throw differs(id, own, version);
  }
  return { resolved: { ...resolved, customScorers: await loadNamedScorers(scorers, cwd) }, journal };
}

const differs = (what: string, here: string, there: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `On a worker, ${what} is version ${here}; the run has ${there}.`, {
    hint: "Install the same version there, or stop that worker.",
  });
