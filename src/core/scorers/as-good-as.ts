import { z } from "zod";
import { comparePair } from "../judge/compare-pair.ts";
import { UnusableVerdict, askAgainHint } from "../judge/judge-answer.ts";
import type { CheckResult } from "./checked.ts";
import { createScorer, invalid, quote } from "./scorer.ts";

const filled = z.string().refine((text) => text.trim() !== "");

/** A judge finds that it does what the rubric says at least as well as a reference, whichever of the two is shown first. */
export const asGoodAs = createScorer(
  z.strictObject({ reference: filled, rubric: filled }),
  "the value of an as-good-as check must be { reference, rubric }, both texts",
  async ({ reference, rubric }, performance, { task, tools }): Promise<CheckResult> => {
    if (tools.judge === undefined)
      return invalid("an as-good-as check needs a judge, and there is none here");
    const a = { text: reference, toolCalls: [], files: task.files ?? {}, skillsLoaded: [] };
    const compared = await comparePair({ task, rubric, a, b: performance }, tools.judge);
    if (compared === undefined)
      throw new UnusableVerdict(
        "transport",
        `The judge gave no usable comparison on task ${task.id}, twice.`,
        { hint: askAgainHint },
      );
    const expected = `to be at least as good as the reference by ${quote(rubric)}`;
    return { pass: compared.better !== "a", expected };
  },
);
