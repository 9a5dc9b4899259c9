import { type Pattern, matchPattern, maxMatched, patternProblem, patternSchema, tooSlow } from "./pattern.ts";
import { type Scorer, invalid } from "./scorer.ts";

/** The answer matches `"pattern"` or `{ pattern, flags? }` somewhere. */
export const regex: Scorer<Pattern> = {
  read(value) {
    const parsed = patternSchema.safeParse(value);
    if (!parsed.success)
      return invalid(
        "the value of a regex check must be a pattern, or { pattern, flags } with flags of i, m, s, u, v",
      );
    const problem = patternProblem(parsed.data);
    return problem === undefined ? { value: parsed.data } : invalid(problem);
  },
  score(wanted, { text }) {
    const expected = `to match /${wanted.pattern}/${wanted.flags}`;
    if (text.length > maxMatched)
      return { pass: false, expected: `${expected} (and to have at most ${maxMatched} characters)` };
    const pass = matchPattern(wanted, text);
    return pass === undefined ? invalid(tooSlow(wanted)) : { pass, expected };
  },
};
