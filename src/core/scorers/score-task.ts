import type { Files } from "../files.ts";
import type { ToolCall } from "../ports/agent.ts";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { Reply } from "../ports/model.ts";
import type { Invalid, Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import type { ScoreAside } from "../ports/scoring.ts";
import { checksProblem, scoreChecks } from "./score-checks.ts";
import { scoreText } from "./score-text.ts";
import { invalid, quote } from "./scorer.ts";

/** What the target did, as far as it can be scored. */
export interface Performance {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** The workspace at the end; of a checkout only what differs from it. */
  readonly files: Files;
  /** Files of the checkout that are gone. */
  readonly deleted?: readonly string[];
  readonly skillsLoaded: readonly string[];
}

export interface ScoringTools {
  /** Asks the judge; journaled by the caller. */
  readonly judge?: (request: JudgeRequest) => Promise<Reply>;
  /** Runs a grader in a fresh sandbox; journaled by the caller. */
  readonly command?: ((request: CommandRequest) => Promise<CommandRun>) | undefined;
  /** Functions of `custom` checks by their written name. */
  readonly custom?: ReadonlyMap<string, CustomScorer> | undefined;
  /** Scores what may take long away from the event loop. @default all is scored at once */
  readonly aside?: ScoreAside | undefined;
}

export interface JudgeRequest {
  readonly system: string;
  readonly prompt: string;
  /** Whether a reply keeps to the contract, for whoever counts those that do not. */
  readonly isParsable?: (reply: Reply) => boolean;
}

export type CustomScorer = (
  task: Task,
  performance: Performance,
) => number | boolean | { readonly score: number; readonly reason?: string } | Promise<unknown>;

export type AnswerScore = Pick<Scored, "hard" | "soft" | "feedback">;

/**
 * Scores a performance by the task's own answers or checks: hard = all pass, soft = their weighted share. A broken
 * task is `invalid`, never a zero. Rejects only when a judge or a grader could not be asked.
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
  const missed = list.checked.filter(({ pass }) => !pass).map(({ expected }) => expected);
  if (missed.length === 0)
    return { hard: 1, soft: list.score, feedback: `All ${checks.length} checks passed.` };
  const feedback = `Expected the answer ${missed.slice(0, 5).join("; ")}; got ${quote(text)}.`;
  return { hard: 0, soft: list.score, feedback };
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

/** What is wrong with a task's answers or checks, found without running anything. */
export function checkTask({ answers = [], checks = [] }: Task): string | undefined {
  if (answers.length > 0 && checks.length > 0) return "the task has both answers and checks";
  if (answers.length > 0) return undefined;
  return checks.length > 0 ? checksProblem(checks) : "the task has neither answers nor checks";
}

/** An answer in words alone, in a workspace that stays as it was. */
export const said = (text: string, { files = {} }: Pick<Task, "files"> = {}): Performance => ({
  text,
  toolCalls: [],
  files,
  skillsLoaded: [],
});
