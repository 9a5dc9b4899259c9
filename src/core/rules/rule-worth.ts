import { type RuleModel, beliefAbout, chanceBelow, modelConstants } from "./rule-model.ts";

/** What a rule brings, in points of score. */
export interface Worth {
  readonly mean: number;
  readonly sd: number;
  /** The 90 % interval. */
  readonly low: number;
  readonly high: number;
  /** The chances that it helps or harms by half a point at least; between them it does nothing to speak of. */
  readonly helps: number;
  readonly harms: number;
}

/** @param columns of one rule, or of several together */
export function worthOfColumns(model: RuleModel, columns: readonly number[]): Worth {
  const { mean, sd } = beliefAbout(model, columns);
  const { common, newSd } = model.fit;
  const { idle } = modelConstants;
  // Savage and Dickey: how much likelier "nothing at all" has become
  const nothing = (idle / (1 - idle)) * (density(mean, sd) / density(common, newSd));
  const acts = columns.length === 1 ? 1 / (1 + nothing) : 1;
  return {
    mean: 100 * mean,
    sd: 100 * sd,
    low: 100 * (mean - 1.645 * sd),
    high: 100 * (mean + 1.645 * sd),
    helps: acts * chanceBelow((mean - halfPoint) / sd),
    harms: acts * chanceBelow((-halfPoint - mean) / sd),
  };
}

const halfPoint = 0.005;

const density = (mean: number, sd: number): number =>
  Math.exp(-((mean / sd) ** 2) / 2) / sd / Math.sqrt(2 * Math.PI);
