import { type RuleModel, beliefAbout, chanceBelow, modelConstants } from "./rule-model.ts";

/** What a rule brings on top of a text, in points of score. */
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

/** @param columns of one rule, or of several together, which may be part of the text */
export function worthOfColumns(model: RuleModel, columns: readonly number[], text: readonly number[]): Worth {
  const { mean, sd } = beliefAbout(model, columns);
  const { common, newSd } = model.fit;
  const before = oddsOf(
    model,
    text.filter((column) => !columns.includes(column)),
  );
  const gain = (shift: number) => 100 * (meanScore(model, before, shift) - meanScore(model, before, 0));
  const half = 0.5 / (gain(0.05) / 0.05);
  const { idle } = modelConstants;
  // Savage and Dickey: how much likelier "nothing at all" has become
  const nothing = (idle / (1 - idle)) * (density(mean, sd) / density(common, newSd));
  const acts = columns.length === 1 ? 1 / (1 + nothing) : 1;
  return {
    mean: gain(mean),
    sd: (gain(mean + sd) - gain(mean - sd)) / 2,
    low: gain(mean - 1.645 * sd),
    high: gain(mean + 1.645 * sd),
    helps: acts * chanceBelow((mean - half) / sd),
    harms: acts * chanceBelow((-half - mean) / sd),
  };
}

/** The expected score of a text on tasks like those of val, as a share. */
export function scoreOfColumns(model: RuleModel, text: readonly number[]): number {
  return meanScore(model, oddsOf(model, text), 0);
}

function oddsOf({ fit }: RuleModel, text: readonly number[]): Float64Array {
  const sum = text.reduce((worth, column) => worth + (fit.worth[column] ?? fit.common), 0);
  return fit.levels.map((level) => level + sum);
}

function meanScore({ weights }: RuleModel, odds: Float64Array, shift: number): number {
  let sum = 0;
  for (let task = 0; task < odds.length; task += 1)
    sum += (weights[task] as number) / (1 + Math.exp(-((odds[task] as number) + shift)));
  return sum / odds.length;
}

const density = (mean: number, sd: number): number =>
  Math.exp(-((mean / sd) ** 2) / 2) / sd / Math.sqrt(2 * Math.PI);
