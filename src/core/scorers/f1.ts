import { z } from "zod";
import { tokenF1 } from "./normalise.ts";
import { createScorer, quote } from "./scorer.ts";

/** The answer shares enough words with `text`: token F1 at or above `threshold`, by default all of them. */
export const f1 = createScorer(
  z.strictObject({
    text: z.string().min(1),
    threshold: z.number().gt(0).max(1).default(1),
  }),
  "the value of an f1 check must be { text, threshold? } with a threshold above 0 and up to 1",
  ({ text, threshold }, answer) => ({
    pass: tokenF1(text, answer.text) >= threshold,
    expected: `a word overlap of ${threshold} with ${quote(text)}`,
  }),
);
