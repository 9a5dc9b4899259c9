import type { FailOn } from "../../core/fail-words.ts";
import { keepsObjective } from "../../core/verdict-words.ts";
import type { CompareSummary } from "./compare.ts";

/** `worse`: fails if a loss or a cost above the objective is shown. `not-better`: fails unless a gain within it is shown. */
export function failsOn(
  { verdict, perRollout }: Pick<CompareSummary, "verdict" | "perRollout">,
  failOn: FailOn | undefined,
): boolean {
  if (failOn === "worse") return verdict === "worse" || perRollout?.objective?.found === "above";
  return failOn === "not-better" && (verdict !== "better" || !keepsObjective(perRollout));
}
