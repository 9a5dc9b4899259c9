import type { Resolved } from "../config/resolved.ts";
import { hashJson } from "../core/canonical.ts";
import type { RunCommand } from "../core/events.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { skillIdentity } from "../core/skill/hash.ts";
import { taskHash } from "../core/tasks/task-hash.ts";
import type { Task } from "../core/tasks/task.ts";

/** The hash of what can change a decision; spend, concurrency, paths and verbosity are not in it. `more` belongs to one command. */
export function runId(command: RunCommand, resolved: Resolved, more: JsonObject = {}): string {
  const { settings, skill, splits, models, environment } = resolved;
  const tasks = (split: readonly Task[]) => split.map((task) => [task.id, taskHash(task)]);
  return hashJson({
    command,
    settings: settings as unknown as Json,
    skill: skillIdentity(skill),
    tasks: { train: tasks(splits.train), val: tasks(splits.val), test: tasks(splits.test) },
    models: { target: models.target, optimizer: models.optimizer },
    environment: { name: environment.name, version: environment.version },
    ...more,
  }).slice(0, 16);
}
