import { type Kinds, modelConstants } from "./rule-model.ts";

export interface KindsInput {
  readonly worth: Float64Array;
  readonly sds: Float64Array;
  /** What is believed of a rule before its first result. */
  readonly common: number;
  readonly newSd: number;
}

/**
 * Tells rules that do nothing from the others. The model takes all worths as drawn from one bell curve; here what the results
 * alone say of each rule is taken as drawn from two: nothing at all, or a curve whose width the run's own rules teach.
 */
export function tellKinds({ worth, sds, common, newSd }: KindsInput): Kinds {
  const { idle: prior, idleWeight, actingSd, actingWeight } = modelConstants;
  const seen = Array.from(worth, (mean, k) => {
    const sd = sds[k] as number;
    const precision = Math.max(1 / sd ** 2 - 1 / newSd ** 2, 1e-6);
    return { mean: (mean / sd ** 2 - common / newSd ** 2) / precision, variance: 1 / precision };
  });
  let [idle, spread] = [prior as number, actingSd ** 2];
  let rules: readonly { acts: number; mean: number; variance: number }[] = [];
  for (let round = 0; round < 30; round += 1) {
    rules = seen.map(({ mean, variance }) => {
      const odds =
        Math.log((1 - idle) / idle) +
        logDensity(mean - common, variance + spread) -
        logDensity(mean, variance);
      const share = spread / (spread + variance);
      return {
        acts: 1 / (1 + Math.exp(-odds)),
        mean: common + share * (mean - common),
        variance: share * variance,
      };
    });
    let [quiet, weight, squares] = [prior * idleWeight, actingWeight as number, actingWeight * actingSd ** 2];
    for (const { acts, mean, variance } of rules) {
      quiet += 1 - acts;
      weight += acts;
      squares += acts * ((mean - common) ** 2 + variance);
    }
    [idle, spread] = [quiet / (idleWeight + rules.length), squares / weight];
  }
  return {
    acts: Float64Array.from(rules, ({ acts }) => acts),
    worth: Float64Array.from(rules, ({ mean }) => mean),
  };
}

const logDensity = (distance: number, variance: number): number =>
  -(distance ** 2) / 2 / variance - Math.log(variance) / 2;
