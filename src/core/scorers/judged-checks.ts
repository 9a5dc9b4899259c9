import { z } from "zod";
import { judgeAnswer, UnusableVerdict } from "../judge/judge-answer.ts";
import { createScorer, invalid, quote } from "./scorer.ts";
import type { CheckResult } from "./checked.ts";
import { comparePair } from "../judge/compare-pair.ts";

const filled = z.string().refine((text) => text.trim() !== "");

const rubricSchema = z.union([
  filled.transform((text) => ({ text, threshold: 1, votes: 1 })),
  z.strictObject({
    text: filled,
    /** The lowest score that counts as met. */
    threshold: z.number().gt(0).max(1).default(1),
    /** Number of judgements, of which more than half must find it met. */
    votes: z.int().min(1).max(9).default(1),
  }),
]);

/** A judge finds that the answer does what the rubric says. With several votes, the majority decides. */
export const rubric = createScorer(
  rubricSchema,
  "the value of a rubric check must be a text, or { text, threshold?, votes? } with a threshold above 0 and up to 1, and 1 to 9 votes",
  async ({ text, threshold, votes }, performance, { task, tools }): Promise<CheckResult> => {
    if (tools.judge === undefined) return invalid("a rubric check needs a judge, and none is set");
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

/** A judge finds that the answer follows the rubric at least as well as a reference does, whichever of the two is shown first. */
export const asGoodAs = createScorer(
  z.strictObject({ reference: filled, rubric: filled }),
  "the value of an as-good-as check must be { reference, rubric }, both texts",
  async ({ reference, rubric }, performance, { task, tools }): Promise<CheckResult> => {
    if (tools.judge === undefined) return invalid("an as-good-as check needs a judge, and none is set");
    const a = { text: reference, toolCalls: [], files: task.files ?? {}, skillsLoaded: [] };
    const compared = await comparePair({ task, rubric, a, b: performance }, tools.judge);
    if (compared === undefined) throw new UnusableVerdict("comparison", task.id);
    const expected = `to be at least as good as the reference by ${quote(rubric)}`;
    return { pass: compared.better !== "a", expected };
  },
);
