import type { PruneVerdict } from "../../../core/rules/prune/prune-sentence.ts";
import { withheldStep } from "../../../core/verdict-words.ts";

const nextSteps: Readonly<Record<PruneVerdict, (run: string) => string>> = {
  "not-worse": (run) => `whetstone diff ${run}, then whetstone adopt ${run}`,
  "not-proven": (run) => `whetstone diff ${run}; more test tasks could prove it`,
  withheld: () => withheldStep,
  "not-tested": (run) => `whetstone diff ${run}; a test split could prove it`,
  unchanged: () => "nothing to do: every rule is worth its tokens, or too uncertain to go",
};

/** `run`: as much of its id as is needed. */
export const nextAfterPruning = (run: string, verdict: PruneVerdict): string => nextSteps[verdict](run);
