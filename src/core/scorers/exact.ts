import { z } from "zod";
import { createScorer, quote } from "./scorer.ts";

/** The answer is this text, white space around both aside. */
export const exact = createScorer(
  z.string(),
  "the value of an exact check must be a text",
  (value, answer) => ({
    pass: answer.text.trim() === value.trim(),
    expected: `to be ${quote(value)}`,
  }),
);
