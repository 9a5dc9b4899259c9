import { z } from "zod";
import { judgeAnswer } from "../judge/judge-answer.ts";
import { createScorer, invalid, quote } from "./scorer.ts";
import type { CheckResult } from "./checked.ts";

interface Rubric {
  readonly text: string;
  /** The score from which on it counts as met. */
  readonly threshold: number;
  /** So many judgements, and more than half must find it met. */
  readonly votes: number;
}

const rubricSchema: z.ZodType<Rubric> = z.union([
  z
    .string()
    .refine((text) => text.trim() !== "")
    .transform((text) => ({ text, threshold: 1, votes: 1 })),
  z.strictObject({
    text: z.string().refine((text) => text.trim() !== ""),
    threshold: z.number().gt(0).max(1).default(1),
    votes: z.int().min(1).max(9).default(1),
  }),
]);

/** A judge finds that the answer does what the rubric says; of several judgements the majority is the one result. */
export const rubric = createScorer(
  rubricSchema,
  "the value of a rubric check must be a text, or { text, threshold?, votes? } with a threshold above 0 and up to 1, and 1 to 9 votes",
  async ({ text, threshold, votes }, performance, { task, tools }): Promise<CheckResult> => {
    if (tools.judge === undefined) return invalid("a rubric check needs a judge, and there is none here");
    const { judge } = tools;
    const ask = () => judgeAnswer({ task, performance, rubric: text }, judge);
    if (votes > 1) {
      const met = (await Promise.all(Array.from({ length: votes }, ask))).filter(
        ({ score }) => score >= threshold,
      ).length;
      return {
        pass: met * 2 > votes,
        expected: `to meet ${quote(text)} (${met} of ${votes} judgements: met)`,
      };
    }
    const judged = await ask();
    return {
      pass: judged.score >= threshold,
      score: judged.score,
      expected: `to meet ${quote(text)} (the judge gave ${judged.score}: ${quote(judged.reason)})`,
    };
  },
);
