import type { RuleEstimate } from "../core/rules/prune/prune.ts";
import type { LossFound, SealedLoss } from "../core/rules/prune/test-loss.ts";
import type { RunReport } from "./model.ts";

/** The results of a pruning: what each rule is worth, and how much the skill loses without the removed ones. */
export interface PruneFigures {
  readonly margin: number;
  readonly rules: number;
  readonly removed: number;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly flipRate: number;
  /** How many prunings were adopted since the skill that the margin counts from. */
  readonly prunings: number;
  readonly val?: LossFigures;
  readonly test?: LossFigures & Pick<SealedLoss, "read">;
  readonly table: readonly RuleEstimate[];
}

export type LossFigures = LossFound;

/** Undefined before a pruning has finished, and for other runs. */
export const pruneFigures = ({ overview, summary }: RunReport): PruneFigures | undefined =>
  overview.command === "prune" && overview.status === "done"
    ? (summary as unknown as PruneFigures | undefined)
    : undefined;
