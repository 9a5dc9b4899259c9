import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Json } from "../../core/json.ts";
import { captureRequests } from "../../core/tasks/capture-requests.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { firstRollouts } from "../../core/measure/first-replies.ts";
import { requestFor } from "../../core/stages/rollout.ts";
import type { Task } from "../../core/tasks/task.ts";
import { type Draw, unitKey } from "../../core/work/unit.ts";

/** Whether the journal already holds the rollouts of the first step, bought by this run or by another. */
export async function isFirstStepBought(resolved: Resolved, journal: Journal | undefined): Promise<boolean> {
  const { settings, splits, environment } = resolved;
  if (journal === undefined || environment.throughContext !== true) return false;
  for (const { task, draw } of firstRollouts(splits, settings)) {
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
  const [asked = { messages: [] }] = await captureRequests(task, skill, environment, settings);
  const input = requestFor("target", asked, { models, settings }) as unknown as Json;
  const key = unitKey({ kind: "generate", version: 1, input, draw }, settings.fresh);
  return (await journal.get(key)) !== undefined;
}
