import { z } from "zod";
import { tokenF1, answerTokens, normaliseAnswer, wordF1 } from "./normalise.ts";
import { createScorer, quote, type TextScorer, unread } from "./scorer.ts";
import {
  type Pattern,
  countMatches,
  flagsSchema,
  patternSchema,
  readPatterned,
  whyUnread,
} from "./pattern.ts";

/** The answer is this text, ignoring white space around both. */
export const exact = createScorer(
  z.string(),
  "the value of an exact check must be a text",
  (value, answer) => ({
    pass: answer.text.trim() === value.trim(),
    expected: `to be ${quote(value)}`,
  }),
);

const text = z.string().min(1);
const rule = (kind: string): string => `the value of ${kind} check must be a non-empty text`;

/** The answer contains this text exactly. */
export const contains = createScorer(text, rule("a contains"), (value, answer) => ({
  pass: answer.text.includes(value),
  expected: `to contain ${quote(value)}`,
}));

/** The answer contains this text, ignoring case. */
export const icontains = createScorer(text, rule("an icontains"), (value, answer) => ({
  pass: answer.text.toLowerCase().includes(value.toLowerCase()),
  expected: `to contain ${quote(value)} (in capitals or not)`,
}));

/** The answer begins with this text, ignoring white space before it. */
export const startsWith = createScorer(text, rule("a starts-with"), (value, answer) => ({
  pass: answer.text.trimStart().startsWith(value.trimStart()),
  expected: `to start with ${quote(value)}`,
}));

/** The answer shares enough words with `text`: its token F1 is at least `threshold`, by default 1 (all words). */
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

/** A list of accepted answers. An exact match of any passes; the score is the best token F1. */
export const answers = createScorer(z.array(z.string()), "answers must be texts", (accepted, { text }) => {
  const came = normaliseAnswer(text);
  const pass = accepted.some((one) => normaliseAnswer(one) === came);
  const words = pass ? [] : answerTokens(text);
  const score = pass ? 1 : Math.max(...accepted.map((one) => wordF1(answerTokens(one), words)));
  const listed = accepted.slice(0, 5).map(quote).join(" or ");
  const more = accepted.length > 5 ? ` or one of ${accepted.length - 5} more` : "";
  return { pass, score, expected: `${listed}${more}` };
});

interface Wanted extends Pattern {
  /** The exact number of matches. */
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

const amount = z.number().min(0);
const valueSchema = z.union([
  z.number().transform((value) => ({ value, tolerance: 0, relative: 0 })),
  z
    .strictObject({ value: z.number(), tolerance: amount.default(0), relative: amount.default(0) })
    .refine(({ value, relative }) => Number.isFinite(relative * value)),
]);

/** The last number of the answer is this one, within `tolerance`, or within the share `relative` of it. */
export const number = createScorer(
  valueSchema,
  "the value of a number check must be a finite number, or { value, tolerance?, relative? } with both 0 or more",
  ({ value, tolerance, relative }, { text }) => {
    const allowed = Math.max(tolerance, relative * Math.abs(value));
    const came = lastNumber(text);
    const within = allowed === 0 ? "" : ` give or take ${allowed}`;
    return {
      pass: came !== undefined && isClose(came, value, allowed),
      expected: `to end with the number ${value}${within}${came === undefined ? " (it holds no number)" : ` (its last number is ${Number.isFinite(came) ? came : "too large"})`}`,
    };
  },
);

// 1.1 is within 0.1 of 1, though not in binary; a number that overflows equals none
const isClose = (came: number, value: number, allowed: number): boolean =>
  Number.isFinite(came) &&
  Math.abs(came - value) <= allowed + 4 * Number.EPSILON * Math.max(Math.abs(came), Math.abs(value));

/** Numbers as English writes them: 1,234.5, -3e-2 and -$5. A hyphen between words or numbers isn't a minus sign. */
export function lastNumber(text: string): number | undefined {
  const last = text.replaceAll("\u2212", "-").match(written)?.at(-1);
  return last === undefined ? undefined : Number(last.replaceAll(/[,\p{Sc}]/gu, ""));
}

const written =
  /(?:(?<![\p{L}\d)][-+]|[\p{L}\d)])[-+]\p{Sc}?)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d+)?|(?:(?<![\p{L}\d])[-+]\p{Sc}?)?(?<!\d)\.\d+(?:e[-+]?\d+)?/giu;
