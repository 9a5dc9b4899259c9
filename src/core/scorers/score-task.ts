import { type Performance, type ScoringTools, type AnswerScore } from "./performance.ts";
import type { Invalid } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import { checksProblem, scoreChecks } from "./score-checks.ts";
import { scoreText } from "./score-text.ts";
import { invalid, quote } from "./scorer.ts";

/**
 * Scores a performance by the task's own answers or checks: hard = all pass, soft = their weighted share. A broken
 * task is `invalid`, never a zero. Only rejects if a judge or a grader couldn't be asked.
 *
 * @example
 * const task = { id: "1", input: "Greet.", checks: [{ kind: "contains", value: "hello" }] };
 * const scored = await scoreTask(task, said("hello, you"), {});
 * if (!("kind" in scored)) console.log(scored.hard); // 1
 */
export async function scoreTask(
  task: Task,
  performance: Performance,
  tools: ScoringTools,
): Promise<AnswerScore | Invalid> {
  const problem = checkTask(task);
  if (problem !== undefined) return invalid(problem);
  const { answers = [], checks = [] } = task;
  const { text } = performance;
  if (answers.length > 0) return scoreAnswers(answers, text, tools);
  const list = await scoreChecks(checks, performance, { task, tools });
  if ("kind" in list) return list;
  const came = {
    soft: list.score,
    checks: list.checked.map(({ pass, expected }) => ({ pass, expected })),
  };
  const missed = came.checks.filter(({ pass }) => !pass).map(({ expected }) => expected);
  if (missed.length === 0) return { hard: 1, ...came, feedback: `All ${checks.length} checks passed.` };
  const feedback = `Expected the answer ${missed.slice(0, 5).join("; ")}; got ${quote(text)}.`;
  return { hard: 0, ...came, feedback };
}

/** By a list of accepted answers: hard = exact match of any, soft = best token F1. */
async function scoreAnswers(
  answers: readonly string[],
  text: string,
  { aside }: ScoringTools,
): Promise<AnswerScore | Invalid> {
  const verdict = await scoreText({ kind: "answers", value: answers }, text, aside);
  if ("kind" in verdict) return verdict;
  const { pass, score: soft = 0, expected } = verdict;
  if (pass) return { hard: 1, soft, feedback: `Correct: ${quote(text)}.` };
  const wanted = verdict.unread === true ? `the answer ${expected}` : expected;
  return { hard: 0, soft, feedback: `Expected ${wanted}; got ${quote(text)}.` };
}

/** Describes the problem of a task's answers or checks, without running anything. */
export function checkTask({ answers = [], checks = [] }: Task): string | undefined {
  if (answers.length > 0 && checks.length > 0) return "the task has both answers and checks";
  if (answers.length > 0) return undefined;
  return checks.length > 0 ? checksProblem(checks) : "the task has neither answers nor checks";
}

/**
 * An answer that is only text, in an unchanged workspace.
 *
 * @example
 * const task = { id: "1", input: "2 + 2?", answers: ["4"] };
 * console.log(await scoreTask(task, said("4"), {}));
 */
export const said = (text: string, { files = {} }: Pick<Task, "files"> = {}): Performance => ({
  text,
  toolCalls: [],
  files,
  skillsLoaded: [],
});
