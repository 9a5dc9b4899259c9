import { nearestWord } from "../nearest-word.ts";
import type { Invalid, Scored } from "../tasks/outcome.ts";
import type { Check, Task } from "../tasks/task.ts";
import { contains } from "./contains.ts";
import { exact } from "./exact.ts";
import { f1 } from "./f1.ts";
import { normaliseAnswer, tokenF1 } from "./normalise.ts";
import { regex } from "./regex.ts";
import { invalid, quote, type Scorer } from "./scorer.ts";

export type AnswerScore = Pick<Scored, "hard" | "soft" | "feedback">;

/** Scores an answer by the task's own answers or checks. A broken task is `invalid`, never a zero; never throws. */
export function scoreAnswer(task: Task, answer: string): AnswerScore | Invalid {
  const { answers = [], checks = [] } = task;
  try {
    if (answers.length > 0 && checks.length > 0) return invalid("the task has both answers and checks");
    if (answers.length > 0) return scoreByAnswers(answers, answer);
    if (checks.length > 0) return scoreByChecks(checks, answer);
    return invalid("the task has neither answers nor checks");
  } catch (error) {
    return invalid(`scoring failed: ${String(error)}`);
  }
}

function scoreByAnswers(answers: readonly string[], answer: string): AnswerScore {
  const came = normaliseAnswer(answer);
  const hard = answers.some((accepted) => normaliseAnswer(accepted) === came) ? 1 : 0;
  const soft = hard === 1 ? 1 : Math.max(...answers.map((accepted) => tokenF1(accepted, answer)));
  if (hard === 1) return { hard, soft, feedback: `Correct: ${quote(answer)}.` };
  const listed = answers.slice(0, 5).map(quote).join(" or ");
  const more = answers.length > 5 ? ` or one of ${answers.length - 5} more` : "";
  return { hard, soft, feedback: `Expected ${listed}${more}; got ${quote(answer)}.` };
}

function scoreByChecks(checks: readonly Check[], answer: string): AnswerScore | Invalid {
  const missed: string[] = [];
  let [passed, total] = [0, 0];
  for (const [at, { kind, value, weight = 1 }] of checks.entries()) {
    const scorer = scorers.get(kind);
    if (scorer === undefined)
      return invalid(`check ${at + 1} has the unknown kind "${kind}"${suggestKind(kind)}`);
    if (!(weight > 0 && Number.isFinite(weight))) return invalid(`check ${at + 1} has the weight ${weight}`);
    const checked = scorer(value, answer);
    if ("kind" in checked) return invalid(`check ${at + 1} (${kind}): ${checked.reason}`);
    total += weight;
    if (checked.pass) passed += weight;
    else missed.push(checked.expected);
  }
  if (missed.length === 0) return { hard: 1, soft: 1, feedback: `All ${checks.length} checks passed.` };
  const feedback = `Expected the answer ${missed.slice(0, 5).join("; ")}; got ${quote(answer)}.`;
  return { hard: 0, soft: passed / total, feedback };
}

const scorers: ReadonlyMap<string, Scorer> = new Map([
  ["exact", exact],
  ["contains", contains],
  ["regex", regex],
  ["f1", f1],
]);

function suggestKind(kind: string): string {
  const nearest = nearestWord(kind, [...scorers.keys()]);
  return nearest === undefined
    ? `; known are ${[...scorers.keys()].join(", ")}`
    : `; did you mean "${nearest}"?`;
}
