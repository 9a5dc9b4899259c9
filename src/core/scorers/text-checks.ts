import { z } from "zod";
import { tokenF1 } from "./normalise.ts";
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

const text = z.string().min(1);
const rule = (kind: string): string => `the value of ${kind} check must be a text that is not empty`;

/** The answer holds this text, letter by letter. */
export const contains = createScorer(text, rule("a contains"), (value, answer) => ({
  pass: answer.text.includes(value),
  expected: `to contain ${quote(value)}`,
}));

/** The answer holds this text, in capitals or not. */
export const icontains = createScorer(text, rule("an icontains"), (value, answer) => ({
  pass: answer.text.toLowerCase().includes(value.toLowerCase()),
  expected: `to contain ${quote(value)} (in capitals or not)`,
}));

/** The answer begins with this text, white space before it aside. */
export const startsWith = createScorer(text, rule("a starts-with"), (value, answer) => ({
  pass: answer.text.trimStart().startsWith(value.trimStart()),
  expected: `to start with ${quote(value)}`,
}));

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
