import { interval90 } from "./interval-90.ts";
import { type WorthModel, beliefAbout } from "./rule-model.ts";

/** What a rule brings, in points of score. */
export interface Worth {
  readonly mean: number;
  readonly sd: number;
  /** The 90 % interval. */
  readonly low: number;
  readonly high: number;
}

/** @param columns of one rule, or of several together */
export function worthOfColumns(model: WorthModel, columns: readonly number[]): Worth {
  const { mean, sd } = beliefAbout(model, columns);
  return {
    mean: 100 * mean,
    sd: 100 * sd,
    ...interval90(100 * mean, 100 * sd),
  };
}
