import { isBatch } from "../../core/work/batched-model.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import type { Environment } from "../../core/tasks/environment.ts";

/** The share of `speculate`, refused where calls that nobody needs could not be bounded or would make no sense. */
export function resolveSpeculate(
  share: number | undefined,
  environment: Pick<Environment, "throughContext">,
  models: Readonly<Record<string, string>>,
): number {
  if (share === undefined || share === 0) return 0;
  const patient = Object.values(models).find((id) => isHandoff(id) || isBatch(id));
  if (patient !== undefined)
    throw refusal(`${patient} answers whenever it likes, so beginning ahead would only cost more`);
  if (environment.throughContext !== true)
    throw refusal("The calls that an environment of your own makes cannot be told apart from needed ones");
  return share;
}

const refusal = (why: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `speculate: ${why}.`, { hint: "Leave `speculate` out of this run." });
