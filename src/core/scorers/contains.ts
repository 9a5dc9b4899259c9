import { z } from "zod";
import { createScorer, quote } from "./scorer.ts";

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
