import { normaliseAnswer, tokenF1 } from "./normalise.ts";
import type { AnswerScore } from "./score-task.ts";
import { quote } from "./scorer.ts";

/** By a list of accepted answers: hard = exact match of any, soft = best token F1. */
export function scoreAnswers(answers: readonly string[], answer: string): AnswerScore {
  const came = normaliseAnswer(answer);
  const hard = answers.some((accepted) => normaliseAnswer(accepted) === came) ? 1 : 0;
  const soft = hard === 1 ? 1 : Math.max(...answers.map((accepted) => tokenF1(accepted, answer)));
  if (hard === 1) return { hard, soft, feedback: `Correct: ${quote(answer)}.` };
  const listed = answers.slice(0, 5).map(quote).join(" or ");
  const more = answers.length > 5 ? ` or one of ${answers.length - 5} more` : "";
  return { hard, soft, feedback: `Expected ${listed}${more}; got ${quote(answer)}.` };
}
