import { z } from "zod";
import { judgeAnswer } from "../judge/judge-answer.ts";
import { createScorer, invalid, quote } from "./scorer.ts";
import type { CheckResult } from "./checked.ts";

interface Rubric {
  readonly text: string;
  /** The score from which on it counts as met. */
  readonly threshold: number;
}

const rubricSchema: z.ZodType<Rubric> = z.union([
  z
    .string()
    .refine((text) => text.trim() !== "")
    .transform((text) => ({ text, threshold: 1 })),
  z.strictObject({
    text: z.string().refine((text) => text.trim() !== ""),
    threshold: z.number().gt(0).max(1).default(1),
  }),
]);

/** A judge finds that the answer does what the rubric says. */
export const rubric = createScorer(
  rubricSchema,
  "the value of a rubric check must be a text, or { text, threshold? } with a threshold above 0 and up to 1",
  async ({ text, threshold }, performance, { task, tools }): Promise<CheckResult> => {
    if (tools.judge === undefined) return invalid("a rubric check needs a judge, and there is none here");
    const judged = await judgeAnswer({ task, performance, rubric: text }, tools.judge);
    return {
      pass: judged.score >= threshold,
      score: judged.score,
      expected: `to meet ${quote(text)} (the judge gave ${judged.score}: ${quote(judged.reason)})`,
    };
  },
);
