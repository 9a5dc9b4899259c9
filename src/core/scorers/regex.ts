import { z } from "zod";
import { invalid, type Scorer } from "./scorer.ts";

/** The answer matches `"pattern"` or `{ pattern, flags? }` somewhere. */
export const regex: Scorer = (value, answer) => {
  const parsed = valueSchema.safeParse(value);
  if (!parsed.success)
    return invalid(
      "the value of a regex check must be a pattern, or { pattern, flags } with flags of i, m, s, u, v",
    );
  const { pattern, flags } = parsed.data;
  if (pattern.length > maxPattern)
    return invalid(`a pattern may have ${maxPattern} characters, not ${pattern.length}`);
  if (repeatedRepeat.test(pattern))
    return invalid(
      `the pattern ${pattern} repeats a repetition, which can take for ever; drop one of the two`,
    );
  const compiled = compile(pattern, flags);
  if (typeof compiled === "string") return invalid(compiled);
  const expected = `to match /${pattern}/${flags}`;
  if (answer.length > maxAnswer)
    return { pass: false, expected: `${expected} (and to have at most ${maxAnswer} characters)` };
  return { pass: compiled.test(answer), expected };
};

const maxPattern = 1000;
const maxAnswer = 100_000;

const valueSchema = z.union([
  z.string().transform((pattern) => ({ pattern, flags: "" })),
  z.strictObject({
    pattern: z.string(),
    flags: z
      .string()
      .regex(/^[imsuv]*$/)
      .default(""),
  }),
]);

// (a+)+ and its kin: exponential, and the inner or the outer repetition alone says the same
const repeatedRepeat =
  /\((?:\?:|\?<\w+>)?(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\[\]()|+*?{}])(?:[+*]|\{\d+,\})\??\)(?:[+*]|\{\d+,\})/;

function compile(pattern: string, flags: string): RegExp | string {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
