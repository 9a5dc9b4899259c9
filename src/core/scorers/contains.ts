import { invalid, quote, type Scorer } from "./scorer.ts";

/** The answer holds this text, letter by letter. */
export const contains: Scorer = (value, answer) => {
  if (typeof value !== "string" || value === "")
    return invalid("the value of a contains check must be a text that is not empty");
  return { pass: answer.includes(value), expected: `to contain ${quote(value)}` };
};
