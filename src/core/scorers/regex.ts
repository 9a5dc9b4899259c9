import { type Pattern, matchPattern, patternProblem, patternSchema, whyUnread } from "./pattern.ts";
import { type TextScorer, invalid, unread } from "./scorer.ts";

/** The answer matches `"pattern"` or `{ pattern, flags? }` somewhere. */
export const regex: TextScorer<Pattern> = {
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
    const pass = matchPattern(wanted, text);
    return pass === undefined ? unread(`${expected}${whyUnread(text)}`) : { pass, expected };
  },
};
