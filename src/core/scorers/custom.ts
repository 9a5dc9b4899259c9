import { z } from "zod";
import { InfraError, WhetstoneError } from "../errors.ts";
import { createScorer, invalid, quote } from "./scorer.ts";
import type { CheckResult } from "./checked.ts";

const given = z.union([
  z.number().transform((score) => ({ score, reason: undefined })),
  z.boolean().transform((pass) => ({ score: pass ? 1 : 0, reason: undefined })),
  z.object({ score: z.number(), reason: z.string().optional() }),
]);

/** Your own function passes it. It's given in code by name, or as `./file.ts#name`: `(task, performance) => number | boolean | { score, reason }`. */
export const custom = createScorer(
  z.string().regex(/^[^#]+(?:#[^#]+)?$/),
  "the value of a custom check must be ./file.ts#name, or the name of a scorer given in code",
  async (name, performance, { task, tools }): Promise<CheckResult> => {
    const score = tools.custom?.get(name);
    if (score === undefined) return invalid(`the function ${name} wasn't loaded`);
    let result: unknown;
    try {
      result = await score(task, performance);
    } catch (error) {
      if (error instanceof InfraError || error instanceof WhetstoneError) throw error;
      return invalid(`${name} threw ${String(error)}`);
    }
    const read = given.safeParse(result);
    if (!read.success || !(read.data.score >= 0 && read.data.score <= 1))
      return invalid(`${name} gave ${quote(describe(result))} instead of a score from 0 to 1, true or false`);
    const because = read.data.reason === undefined ? "" : `: ${quote(read.data.reason)}`;
    return {
      pass: read.data.score === 1,
      score: read.data.score,
      expected: `to pass ${name} (score ${read.data.score}${because})`,
    };
  },
);

function describe(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
