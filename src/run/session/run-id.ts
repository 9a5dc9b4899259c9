import { allTasks } from "../../core/tasks/few-tasks.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { hashJson } from "../../core/canonical.ts";
import type { RunCommand } from "../../core/events.ts";
import { type JsonObject, asJson } from "../../core/json.ts";
import { usesJudge } from "../../core/scorers/uses-kind.ts";
import { skillIdentity } from "../../core/skill/hash.ts";
import { taskHash } from "../../core/tasks/task-hash.ts";
import type { Task } from "../../core/tasks/task.ts";

/**
 * The hash of all that can change a decision, without spend, concurrency, paths and verbosity. `more`: a command's own inputs.
 *
 * @example
 * const idOf = (resolved: Resolved) => runId("my-checkup", resolved, { trials: 3 });
 */
export function runId(command: RunCommand, resolved: Resolved, more: JsonObject = {}): string {
  const {
    settings,
    skill,
    splits,
    models,
    environment,
    agents,
    neighbours = [],
    scorerHashes = {},
  } = resolved;
  const tasks = (split: readonly Task[]) => split.map((task) => [task.id, taskHash(task)]);
  return hashJson({
    command,
    settings: asJson(settings),
    skill: skillIdentity(skill),
    tasks: { train: tasks(splits.train), val: tasks(splits.val), test: tasks(splits.test) },
    models: {
      target: models.target,
      optimizer: models.optimizer,
      ...(usesJudge(allTasks(splits)) ? { judge: models.judge } : {}),
    },
    environment: { name: environment.name, version: environment.version },
    ...(agents === undefined || agents.size === 0
      ? {}
      : { agent: agents.get(models.target)?.version ?? "", neighbours: neighbours.map(skillIdentity) }),
    ...(Object.keys(scorerHashes).length === 0 ? {} : { scorers: scorerHashes }),
    ...more,
  }).slice(0, 16);
}
