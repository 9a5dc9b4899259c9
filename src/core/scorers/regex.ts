import { z } from "zod";
import {
  type Pattern,
  countMatches,
  flagsSchema,
  patternSchema,
  readPatterned,
  whyUnread,
} from "./pattern.ts";
import { type TextScorer, unread } from "./scorer.ts";

interface Wanted extends Pattern {
  /** Exactly so often. */
  readonly count?: number;
}

const wantedSchema: z.ZodType<Wanted> = z.union([
  patternSchema,
  z.strictObject({ pattern: z.string(), flags: flagsSchema, count: z.int().min(0) }),
]);

/** The answer matches `"pattern"` or `{ pattern, flags? }` somewhere, or exactly `count` times. */
export const regex: TextScorer<Wanted> = {
  read: readPatterned(
    wantedSchema,
    "the value of a regex check must be a pattern, or { pattern, flags?, count? } with flags of i, m, s, u, v",
    (wanted) => [wanted],
  ),
  score(wanted, { text }) {
    const { pattern, flags, count } = wanted;
    const expected = `to match /${pattern}/${flags}`;
    const found = countMatches(wanted, text, count === undefined ? 1 : undefined);
    if (found === undefined) return unread(`${expected}${whyUnread(text)}`);
    if (count === undefined) return { pass: found > 0, expected };
    return { pass: found === count, expected: `${expected} exactly ${count} times (it does ${found} times)` };
  },
};
