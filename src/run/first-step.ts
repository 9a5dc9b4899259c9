import type { Resolved } from "../config/resolved.ts";
import type { Json } from "../core/json.ts";
import { captureRequests } from "../core/plan/capture-requests.ts";
import type { Journal } from "../core/ports/journal.ts";
import { planBatches } from "../core/tasks/batches.ts";
import type { Task } from "../core/tasks/task.ts";
import { type Draw, unitKey } from "../core/unit.ts";

/** Whether the journal already holds the rollouts of the first step, bought by this run or by another. */
export async function isFirstStepBought(resolved: Resolved, journal: Journal | undefined): Promise<boolean> {
  const { settings, splits, environment } = resolved;
  if (journal === undefined || environment.throughContext !== true) return false;
  const batchSize = settings.batchSize * settings.accumulation;
  const [[batch = []] = []] = planBatches(splits.train, { ...settings, batchSize });
  const gate = { purpose: settings.gate === "paired" ? "incumbent@0" : "gate", trial: 0 } as const;
  const val = settings.gate === "off" ? [] : splits.val;
  const rollouts: readonly (readonly [Task, Draw])[] = [
    ...batch.map((task) => [task, { purpose: "train", trial: 0 }] as const),
    ...val.map((task) => [task, gate] as const),
  ];
  for (const [task, draw] of rollouts) {
    if (!(await isBought(task, draw, resolved, journal))) return false;
  }
  return true;
}

async function isBought(
  task: Task,
  draw: Draw,
  { settings, skill, environment, models }: Resolved,
  journal: Journal,
): Promise<boolean> {
  const [asked] = await captureRequests(task, skill, environment, settings);
  const input = {
    model: models.target,
    ...asked,
    maxTokens: settings.targetMaxTokens,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
  } as unknown as Json;
  const key = unitKey({ kind: "generate", version: 1, input, draw }, settings.fresh);
  return (await journal.get(key)) !== undefined;
}
