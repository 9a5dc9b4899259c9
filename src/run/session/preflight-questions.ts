import { captureRequests } from "../../core/tasks/capture-requests.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import type { TrainSettings } from "../../core/settings.ts";
import { quote } from "../../core/scorers/scorer.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { analystText } from "../../core/stages/analyst.ts";
import type { Environment, Question } from "../../core/tasks/environment.ts";
import type { Scored } from "../../core/tasks/outcome.ts";
import type { Splits, Task } from "../../core/tasks/task.ts";

/** The skill and tasks of a run, known before its first call. */
export interface PreflightSample {
  readonly skill: Skill;
  readonly splits: Splits;
}

interface Surroundings {
  readonly environment: Environment;
  readonly settings: TrainSettings;
}

export interface LongestQuestion {
  readonly question: Question;
  /** All tasks, longest first. */
  readonly tasks: readonly Task[];
}

/** The target's question on the longest task: if that fits and is answered, so are the others. */
export async function longestQuestion(
  { skill, splits }: PreflightSample,
  { environment, settings }: Surroundings,
): Promise<LongestQuestion | undefined> {
  const tasks = Object.values(splits)
    .flat()
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const [longest] = tasks;
  if (longest === undefined) return undefined;
  const [question] = await captureRequests(longest, skill, environment, settings);
  return question === undefined ? undefined : { question, tasks };
}

/** How many bytes a task adds to its prompt. */
export const sizeOf = ({ input, system = "", files = {} }: Task): number =>
  [input, system, ...Object.values(files)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** A whole analyst's prompt with made-up answers; undefined without a train task. */
export function analystQuestion(
  { skill, splits }: PreflightSample,
  { environment, settings }: Surroundings,
): ModelRequest["messages"] | undefined {
  if (splits.train.length === 0) return undefined;
  const attempts = splits.train.slice(0, settings.minibatchSize).map((task) => ({
    task,
    outcome: {
      kind: "scored",
      hard: 0,
      soft: 0,
      feedback: `Expected ${quote(task.answers?.[0] ?? "another answer")}; got "I am not sure."`,
      conversation: [
        { role: "user", content: task.input },
        { role: "assistant", content: "I am not sure." },
      ],
    } satisfies Scored,
  }));
  const search = { skill, budget: settings.editBudget, tried: [], meta: "" };
  const shown = { ...search, source: "failure", attempts, batch: [] } as const;
  return [{ role: "user", content: analystText(shown, { environment, settings }) }];
}
