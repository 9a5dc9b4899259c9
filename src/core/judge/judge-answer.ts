import { InfraError } from "../errors.ts";
import { type Judge, askJudge } from "./ask-judge.ts";
import { type Case, type Judgement, caseText, judgePrompt } from "./judge-prompt.ts";

/** The judge gave neither a pass nor a fail, so the task stays pending. */
export class UnusableVerdict extends InfraError {
  constructor(what: string, task: string) {
    super("no-verdict", `The judge gave no usable ${what} on task ${task}.`, { hint: askAgainHint });
  }
}

const askAgainHint =
  "Run the same command again: it asks the judge again. If that doesn't help, name another one with --judge.";

/** Judges one answer by one rubric. */
export async function judgeAnswer(asked: Case, judge: Judge): Promise<Judgement> {
  const judged = await askJudge(judgePrompt, caseText(asked), judge);
  if (judged !== undefined) return judged;
  throw new UnusableVerdict("verdict", asked.task.id);
}
