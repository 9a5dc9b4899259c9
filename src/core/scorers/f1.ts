import { z } from "zod";
import { tokenF1 } from "./normalise.ts";
import { invalid, quote, type Scorer } from "./scorer.ts";

/** The answer shares enough words with `text`: token F1 at or above `threshold`, by default all of them. */
export const f1: Scorer = (value, answer) => {
  const parsed = valueSchema.safeParse(value);
  if (!parsed.success)
    return invalid(
      "the value of an f1 check must be { text, threshold? } with a threshold above 0 and up to 1",
    );
  const { text, threshold } = parsed.data;
  return {
    pass: tokenF1(text, answer) >= threshold,
    expected: `a word overlap of ${threshold} with ${quote(text)}`,
  };
};

const valueSchema = z.strictObject({
  text: z.string().min(1),
  threshold: z.number().gt(0).max(1).default(1),
});
