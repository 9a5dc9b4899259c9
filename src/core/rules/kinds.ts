import { chanceBelow } from "../gate/claim/normal.ts";
import { shownLevel } from "../shown-level.ts";

/** The worth of a rule as a share of the score, all derived from one distribution. */
export interface Worth {
  readonly mean: number;
  readonly sd: number;
  /** The interval at the level that is shown. */
  readonly low: number;
  readonly high: number;
  /** The chance that it's worth half a point or more. */
  readonly helps: number;
}

/** Rules of one kind, whose worths are normally distributed. */
export interface Kind {
  readonly mean: number;
  readonly variance: number;
}

/** The share of rules of each kind. */
export type Shares = readonly number[];

/**
 * Most rules do little or nothing, and occasionally one changes almost everything, so there are three kinds. The middle
 * one's position and width, and the shares per source, are learned; the prior counts like a number of known rules.
 */
export const kindConstants = {
  nothing: { mean: 0, variance: 0.001 ** 2 },
  little: { mean: -0.0136, meanSd: 0.0425, sd: 0.05, weight: 15 },
  much: { mean: 0, variance: 0.25 ** 2 },
  /** Nothing, little, much: for an original that passes much, and for one that passes nothing, where one rule can do a lot. */
  shares: [0.3, 0.65, 0.05],
  sharesInTheDark: [0.1, 0.2, 0.7],
  sharesWeight: 8,
} as const;

export const startKinds = (): readonly Kind[] => {
  const { nothing, little, much } = kindConstants;
  return [nothing, { mean: little.mean, variance: little.sd ** 2 }, much];
};

/** The prior before the first rule, by how dark it is: 0 if the original passes much, 1 if it passes nothing. */
export const priorShares = (dark: number): Shares =>
  kindConstants.shares.map(
    (share, at) => share + dark * ((kindConstants.sharesInTheDark[at] as number) - share),
  );

/** A rule's worth according to its results alone. */
export interface Seen {
  readonly mean: number;
  readonly variance: number;
}

/** One kind's part in the belief about a rule. */
export interface Part extends Kind {
  readonly chance: number;
}

/** The probability of each kind for a rule, and its worth in that case. */
export function tellKind(seen: Seen, kinds: readonly Kind[], shares: Shares): readonly Part[] {
  const parts = kinds.map(({ mean, variance }, at) => {
    const both = variance + seen.variance;
    const weight = variance / both;
    return {
      log: Math.log(shares[at] as number) - (seen.mean - mean) ** 2 / both / 2 - Math.log(both) / 2,
      mean: mean + weight * (seen.mean - mean),
      variance: weight * seen.variance,
    };
  });
  const top = Math.max(...parts.map(({ log }) => log));
  const total = parts.reduce((sum, { log }) => sum + Math.exp(log - top), 0);
  return parts.map(({ log, mean, variance }) => ({ mean, variance, chance: Math.exp(log - top) / total }));
}

export function momentsOf(parts: readonly Part[]): Seen {
  const mean = parts.reduce((sum, part) => sum + part.chance * part.mean, 0);
  const variance = parts.reduce(
    (sum, part) => sum + part.chance * (part.variance + (part.mean - mean) ** 2),
    0,
  );
  return { mean, variance };
}

/** Half a point: anything less counts as nothing. */
const leastHelp = 0.005;

export function worthOfParts(parts: readonly Part[]): Worth {
  const known = worths.get(parts);
  if (known !== undefined) return known;
  const { mean, variance } = momentsOf(parts);
  const worth = {
    mean,
    sd: Math.sqrt(variance),
    low: quantileOf(parts, (1 - shownLevel) / 2),
    high: quantileOf(parts, (1 + shownLevel) / 2),
    helps: 1 - chanceUnder(parts, leastHelp),
  };
  worths.set(parts, worth);
  return worth;
}

/** One fit is queried many times, and quantiles are slow. */
const worths = new WeakMap<readonly Part[], Worth>();

export const chanceUnder = (parts: readonly Part[], value: number): number =>
  parts.reduce(
    (sum, { chance, mean, variance }) => sum + chance * chanceBelow((value - mean) / Math.sqrt(variance)),
    0,
  );

function quantileOf(parts: readonly Part[], share: number): number {
  let [low, high] = [-1, 1];
  while (high - low > 1e-5) {
    const middle = (low + high) / 2;
    if (chanceUnder(parts, middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The belief about a rule, and its source. */
export interface ToldRule {
  readonly source: string;
  readonly parts: readonly Part[];
}

/** Learns the kinds and their shares from the rules of the run. */
export function learnKinds(
  rules: readonly ToldRule[],
  kinds: readonly Kind[],
  prior: Shares,
): { readonly kinds: readonly Kind[]; readonly shares: ReadonlyMap<string, Shares> } {
  const { nothing, little, much, sharesWeight } = kindConstants;
  const { mean: now, variance } = kinds[1] as Kind;
  let [weight, squares] = [little.weight as number, little.weight * little.sd ** 2];
  let [precision, shift] = [1 / little.meanSd ** 2, little.mean / little.meanSd ** 2];
  const counts = new Map<string, number[]>();
  for (const { source, parts } of rules) {
    const { chance, mean, variance: own } = parts[1] as Part;
    weight += chance;
    squares += chance * ((mean - now) ** 2 + own);
    precision += chance / variance;
    shift += (chance * mean) / variance;
    const count = counts.get(source) ?? prior.map((share) => share * sharesWeight);
    counts.set(
      source,
      parts.map((part, at) => (count[at] as number) + part.chance),
    );
  }
  const shares = new Map(
    [...counts].map(([source, count]) => {
      const total = count.reduce((sum, one) => sum + one, 0);
      return [source, count.map((one) => one / total)];
    }),
  );
  return { kinds: [nothing, { mean: shift / precision, variance: squares / weight }, much], shares };
}
