import { z } from "zod";
import { createScorer } from "./scorer.ts";

const amount = z.number().min(0);
const valueSchema = z.union([
  z.number().transform((value) => ({ value, tolerance: 0, relative: 0 })),
  z
    .strictObject({ value: z.number(), tolerance: amount.default(0), relative: amount.default(0) })
    .refine(({ value, relative }) => Number.isFinite(relative * value)),
]);

/** The last number of the answer is this one, within `tolerance` or within the share `relative` of it. */
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

// 1.1 lies within 0.1 of 1, though not in binary; what is too large for a number equals none
const isClose = (came: number, value: number, allowed: number): boolean =>
  Number.isFinite(came) &&
  Math.abs(came - value) <= allowed + 4 * Number.EPSILON * Math.max(Math.abs(came), Math.abs(value));

/** As it is written in English: 1,234.5, -3e-2 and -$5. A hyphen between words or numbers is no sign. */
export function lastNumber(text: string): number | undefined {
  const last = text.replaceAll("\u2212", "-").match(written)?.at(-1);
  return last === undefined ? undefined : Number(last.replaceAll(/[,\p{Sc}]/gu, ""));
}

const written =
  /(?:(?<![\p{L}\d)][-+]|[\p{L}\d)])[-+]\p{Sc}?)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d+)?|(?:(?<![\p{L}\d])[-+]\p{Sc}?)?(?<!\d)\.\d+(?:e[-+]?\d+)?/giu;
