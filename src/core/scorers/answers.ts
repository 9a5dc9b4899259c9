import { z } from "zod";
import { answerTokens, normaliseAnswer, wordF1 } from "./normalise.ts";
import { createScorer, quote } from "./scorer.ts";

/** A list of accepted answers: passed by the exact match of any, scored by the best token F1. */
export const answers = createScorer(z.array(z.string()), "answers must be texts", (accepted, { text }) => {
  const came = normaliseAnswer(text);
  const pass = accepted.some((one) => normaliseAnswer(one) === came);
  const words = pass ? [] : answerTokens(text);
  const score = pass ? 1 : Math.max(...accepted.map((one) => wordF1(answerTokens(one), words)));
  const listed = accepted.slice(0, 5).map(quote).join(" or ");
  const more = accepted.length > 5 ? ` or one of ${accepted.length - 5} more` : "";
  return { pass, score, expected: `${listed}${more}` };
});
