import type { RuleEstimate } from "../core/rules/prune/prune.ts";
import type { LossFound, SealedLoss } from "../core/rules/prune/test-loss.ts";
import type { RunReport } from "./model.ts";

/** What a pruning found: what each rule is worth, and how much less the skill is worth without those that go. */
export interface PruneFigures {
  readonly margin: number;
  readonly rules: number;
  readonly removed: number;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly flipRate: number;
  /** Prunings that were adopted since the skill that the margin counts from. */
  readonly prunings: number;
  readonly val?: LossFigures;
  readonly test?: LossFigures & Pick<SealedLoss, "read">;
  readonly table: readonly RuleEstimate[];
}

export type LossFigures = LossFound;

/** Missing before such a run has ended, and of any other. */
export const pruneFigures = ({ overview, summary }: RunReport): PruneFigures | undefined =>
  overview.command === "prune" && overview.status === "done"
    ? (summary as unknown as PruneFigures | undefined)
    : undefined;
