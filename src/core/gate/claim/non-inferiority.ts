import { type ClaimPair, type Trial, fillPairs, taskDifference } from "./claim-pair.ts";
import { mean } from "../../mean.ts";
import { normalAbove } from "./normal.ts";

/**
 * Over what a loss is averaged: exactly these tasks, where only trials vary, or tasks like these, of which these are a
 * sample and one that was lost stands for many that nobody saw.
 */
export type LossScope = "these tasks" | "tasks like these";

export interface NonInferiority {
  /** How often a candidate that is worse by `margin` would look as good, at most. */
  readonly p: number;
  /** Whether p ≤ alpha: not worse by more than the margin. */
  readonly shown: boolean;
}

export interface NonInferiorityTest {
  readonly margin: number;
  readonly alpha: number;
  /** The part of its capital that the test bets on each difference, fixed beforehand. */
  readonly stake: number;
  readonly scope: LossScope;
}

/**
 * Whether the candidate is worse by no more than `margin`, by betting: a capital of 1 is multiplied by
 * 1 + stake · (difference + margin) for each difference. If the mean loss were the margin or more, no bettor could
 * expect to gain, so the capital reaches 1/alpha with a chance of at most alpha (Ville), whatever the differences are
 * distributed like and whenever one looks. A difference is a task's or, over these tasks alone, a trial's: there the
 * product of means is at most the power of their mean. It never falls when a difference rises; what is missing is lost.
 */
export function testNonInferiority(
  pairs: readonly ClaimPair[],
  { margin, alpha, stake, scope }: NonInferiorityTest,
): NonInferiority {
  const log = logCapital(differencesOf(pairs, scope), margin, stake);
  return {
    p: Math.min(Math.exp(-log), 1),
    shown: log >= Math.log(1 / alpha),
  };
}

/**
 * What is bet on: a unit's difference or, over these tasks alone, a trial's, by weight. Divided by the largest weight of one
 * of them, so that none can lose more than all of the stake.
 */
function differencesOf(pairs: readonly ClaimPair[], scope: LossScope): Differences {
  if (scope === "these tasks") return weigh(pairs, trialDifferences(pairs));
  const filled = fillPairs(pairs, "worst");
  const units = new Map<number | string, { sum: number; weight: number }>();
  filled.forEach((pair, task) => {
    const { unit = `task ${task}`, weight = 1 } = pair;
    const one = units.get(unit) ?? { sum: 0, weight: 0 };
    units.set(unit, { sum: one.sum + weight * taskDifference(pair), weight: one.weight + weight });
  });
  return scaled([...units.values()].map(({ sum, weight }) => ({ value: sum / (weight || 1), weight })));
}

interface Differences {
  readonly values: readonly number[];
  /** What a margin counts in them. */
  readonly marginScale: number;
}

function scaled(weighted: readonly { readonly value: number; readonly weight: number }[]): Differences {
  const largest = Math.max(...weighted.map(({ weight }) => weight), 0) || 1;
  const mean = weighted.reduce((sum, { weight }) => sum + weight, 0) / Math.max(weighted.length, 1);
  return {
    values: weighted.map(({ value, weight }) => (value * weight) / largest),
    marginScale: mean / largest,
  };
}

const weigh = (pairs: readonly ClaimPair[], byTask: readonly (readonly number[])[]): Differences =>
  scaled(
    byTask.flatMap((values, task) => values.map((value) => ({ value, weight: pairs[task]?.weight ?? 1 }))),
  );

const trialDifferences = (pairs: readonly ClaimPair[]): readonly (readonly number[])[] =>
  pairs.map(({ incumbent, candidate }) =>
    candidate.map((trial, at) => difference(incumbent[at] ?? null, trial)),
  );

const difference = (incumbent: Trial, candidate: Trial): number =>
  incumbent === null || candidate === null ? -1 : candidate - incumbent;

const logCapital = ({ values, marginScale }: Differences, margin: number, stake: number): number =>
  values.reduce((sum, value) => sum + Math.log1p(stake * (value + margin * marginScale)), 0);

/** The mean difference is not below this, at the level 1 − alpha; at most 0. It is minus the smallest margin that is shown. */
export function lossBound(
  pairs: readonly ClaimPair[],
  { stake, alpha, scope }: Omit<NonInferiorityTest, "margin">,
): number {
  const values = differencesOf(pairs, scope);
  const isShown = (margin: number) => logCapital(values, margin, stake) >= Math.log(1 / alpha);
  if (isShown(0)) return 0;
  let [low, high] = [0, 1];
  if (!isShown(high)) return -1;
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (isShown(middle)) high = middle;
    else low = middle;
  }
  return -high;
}

/** No stake fits every number of tasks. Betting a third of the capital with each of these is a bet as well. */
const mixedStakes = [1, 0.5, 0.25] as const;

/** Whether a mean loss of `margin` or more on tasks like these is ruled out, by the same bets with no plan behind them. */
export function isLossRuledOut(pairs: readonly ClaimPair[], margin: number, alpha: number): boolean {
  const drawn = differencesOf(pairs, "tasks like these");
  return mean(mixedStakes.map((stake) => Math.exp(logCapital(drawn, margin, stake)))) >= 1 / alpha;
}

/** Whether the rest could still show it if not one more trial were lost: if not, going on is no use. */
export function couldBeShown(
  pairs: readonly ClaimPair[],
  { margin, alpha, stake }: NonInferiorityTest,
  trialsLeft: number,
): boolean {
  const drawn = differencesOf(pairs, "these tasks");
  const best = logCapital(drawn, margin, stake);
  const each = Math.log1p(stake * margin * drawn.marginScale);
  return best + trialsLeft * pairs.length * each >= Math.log(1 / alpha);
}

/** A capital in logs that a candidate without any loss falls to in about one of a hundred cases. */
const nearlyLost = -3;

/** Whether so much of the capital is lost that going on would only find out how bad it is. */
export function isHopeless(
  pairs: readonly ClaimPair[],
  { margin, stake, scope }: NonInferiorityTest,
): boolean {
  return logCapital(differencesOf(pairs, scope), margin, stake) <= nearlyLost;
}

export interface NonInferiorityPlan extends NonInferiorityTest {
  /** Per task and arm. */
  readonly trials: number;
  /** The chance that a candidate without any loss passes. */
  readonly power: number;
}

export interface NonInferioritySize {
  readonly tasks: number;
  readonly margin: number;
  readonly alpha: number;
  /** How often two trials of one task differ. */
  readonly flipRate: number;
  /** Trials per task and arm, at most. */
  readonly most: number;
}

/** The chance of success that a plan aims at. */
const aimedPower = 0.9;

/** Trials and stake, fixed before the first call: the fewest trials that reach the aimed power, else the most. */
export function planNonInferiority(size: NonInferioritySize, scope: LossScope): NonInferiorityPlan {
  const { margin, alpha, most } = size;
  let best = { trials: most, stake: stakes[0] ?? 0.01, power: 0 };
  for (let trials = 1; trials <= most; trials += 1) {
    best = bestStake(size, scope, trials);
    if (best.power >= aimedPower) break;
  }
  return { margin, alpha, scope, ...best };
}

/** Of the stake that would grow fastest if the noise were known: less is safer where it is estimated, and hardly slower. */
const shareOfFastest = 0.8;

/** For a test that is looked at after every trial, over these tasks alone: the stake that gets there soonest. */
export function planLooks(size: NonInferioritySize): NonInferiorityPlan {
  const { margin, alpha, flipRate, most } = size;
  const stake = Math.min((shareOfFastest * margin) / Math.max(flipRate, leastFlipRate), 1);
  const scope = "these tasks";
  return { margin, alpha, scope, trials: most, stake, power: powerOf(size, scope, most, stake) };
}

/** Even if not one trial differed: whether the margin could be shown, and with how many tasks it could. */
export function lossLimits({ tasks, margin, alpha, most }: Omit<NonInferioritySize, "flipRate">): {
  readonly possible: boolean;
  readonly tasksNeeded: number;
} {
  const tasksNeeded = Math.ceil(Math.log(1 / alpha) / (most * Math.log1p(margin)));
  return { possible: tasks >= tasksNeeded, tasksNeeded };
}

/** The fewest tasks, not below these, that reach the aimed power. */
export function tasksForNonInferiority(size: NonInferioritySize, scope: LossScope): number {
  const isEnough = (tasks: number) => bestStake({ ...size, tasks }, scope, size.most).power >= aimedPower;
  let [low, high] = [size.tasks, size.tasks];
  while (!isEnough(high) && high < 100_000) [low, high] = [high, 2 * high];
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Up to all of it: more would be lost with one lost trial. */
const stakes = Array.from({ length: 30 }, (_, at) => 0.84 ** at);

/** A few steady trials do not prove that a target is steady. */
const leastFlipRate = 0.02;

function bestStake(size: NonInferioritySize, scope: LossScope, trials: number) {
  let best = { trials, stake: stakes[0] ?? 1, power: -1 };
  for (const stake of stakes) {
    const power = powerOf(size, scope, trials, stake);
    if (power > best.power) best = { trials, stake, power };
  }
  return best;
}

/** The chance that a candidate without any loss passes with this stake after so many trials. */
function powerOf(
  { tasks, margin, alpha, flipRate }: NonInferioritySize,
  scope: LossScope,
  trials: number,
  stake: number,
): number {
  const units = scope === "these tasks" ? tasks * trials : tasks;
  const step = scope === "these tasks" ? 1 : 1 / Math.sqrt(trials);
  const share = Math.max(flipRate, leastFlipRate);
  // a difference is one step up or down as often as two trials differ, and else nothing
  const values = [-step, 0, step].map((value) => Math.log(Math.max(1 + stake * (value + margin), 1e-9)));
  const chances = [share / 2, 1 - share, share / 2];
  const mean = values.reduce((sum, value, at) => sum + value * (chances[at] ?? 0), 0);
  const square = values.reduce((sum, value, at) => sum + value * value * (chances[at] ?? 0), 0);
  const ahead = (units * mean - Math.log(1 / alpha)) / Math.sqrt(units * (square - mean * mean));
  return ahead >= 0 ? 1 - normalAbove(ahead) : normalAbove(-ahead);
}
