import { type RuleModel, beliefAbout, chanceBelow } from "./rule-model.ts";

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
  return {
    mean: 100 * mean,
    sd: 100 * sd,
    low: 100 * (mean - 1.645 * sd),
    high: 100 * (mean + 1.645 * sd),
    ...chancesOf(model, columns),
  };
}

/** Of one rule that may do nothing at all; several together do something. */
function chancesOf(model: RuleModel, columns: readonly number[]) {
  const { kinds } = model.fit;
  const [column = 0] = columns;
  const isOne = columns.length === 1 && column < kinds.acts.length;
  const { mean, sd } = isOne
    ? { mean: kinds.worth[column] as number, sd: kinds.sd[column] as number }
    : beliefAbout(model, columns);
  const acts = isOne ? (kinds.acts[column] as number) : 1;
  return {
    helps: acts * chanceBelow((mean - halfPoint) / sd),
    harms: acts * chanceBelow((-halfPoint - mean) / sd),
  };
}

const halfPoint = 0.005;
