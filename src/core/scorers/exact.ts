import { invalid, quote, type Scorer } from "./scorer.ts";

/** The answer is this text, white space around both aside. */
export const exact: Scorer = (value, answer) => {
  if (typeof value !== "string") return invalid("the value of an exact check must be a text");
  return { pass: answer.trim() === value.trim(), expected: `to be ${quote(value)}` };
};
