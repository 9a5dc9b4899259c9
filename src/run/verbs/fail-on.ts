import { keepsObjective } from "../../core/verdict-words.ts";
import type { CompareSummary } from "./compare.ts";

/** Which verdicts a check refuses: those that are shown to be bad, or all that are not shown to be good. */
export const failWords = ["worse", "not-better"] as const;
export type FailOn = (typeof failWords)[number];

/** `worse`: a loss, or a cost above the objective, is shown. `not-better`: a gain within the objective is not. */
export function failsOn(
  { verdict, perRollout }: Pick<CompareSummary, "verdict" | "perRollout">,
  failOn: FailOn | undefined,
): boolean {
  if (failOn === "worse") return verdict === "worse" || perRollout?.objective?.found === "above";
  return failOn === "not-better" && (verdict !== "better" || !keepsObjective(perRollout));
}
