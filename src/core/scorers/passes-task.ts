import { InfraError } from "../errors.ts";
import type { Task } from "../tasks/task.ts";
import type { Performance, ScoringTools } from "./performance.ts";
import { isAsked } from "./runnable.ts";
import { scoreTask } from "./score-task.ts";

interface TriedTask {
  readonly passed: boolean;
  readonly late: boolean;
}

/** Whether an answer passes a task. Graders and functions run last, and only if everything else passed. */
export async function passesTask(
  task: Task,
  performance: Performance,
  tools: ScoringTools,
): Promise<TriedTask> {
  const { checks = [] } = task;
  let late = false;
  const { aside } = tools;
  const watched: ScoringTools = {
    ...tools,
    aside:
      aside &&
      (async (check, text) => {
        const verdict = await aside(check, text);
        if ("unread" in verdict) late = true;
        return verdict;
      }),
  };
  const parts =
    checks.length === 0
      ? [task]
      : [checks.filter((one) => !isAsked(one)), checks.filter(isAsked)]
          .filter((part) => part.length > 0)
          .map((part) => ({ ...task, checks: part }));
  for (const part of parts) {
    const score = await scoreTask(part, performance, watched).catch((error: unknown) => {
      // unknown, so it doesn't count as passed
      if (error instanceof InfraError) return undefined;
      throw error;
    });
    if (score === undefined || "kind" in score || score.hard !== 1) return { passed: false, late };
  }
  return { passed: true, late };
}
