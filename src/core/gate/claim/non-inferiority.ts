import { type ClaimPair, type Trial, fillPairs, taskDifference } from "./claim-pair.ts";
import { mean } from "../../mean.ts";
import { normalAbove } from "./normal.ts";

/**
 * The scope of an average loss: exactly these tasks, where only trials vary, or tasks like these. In the latter case
 * these tasks are a sample, and a lost one represents many that nobody saw.
 */
export type LossScope = "these tasks" | "tasks like these";

export interface NonInferiority {
  /** At most how often a candidate that is worse by `margin` would look this good. */
  readonly p: number;
  /** Whether p ≤ alpha: not worse by more than the margin. */
  readonly shown: boolean;
}

export interface NonInferiorityTest {
  readonly margin: number;
  readonly alpha: number;
  /** The share of its capital that the test bets on each difference, fixed in advance. */
  readonly stake: number;
  readonly scope: LossScope;
}

/**
 * Whether the candidate is worse by no more than `margin`, tested by betting. A capital of 1 is multiplied by 1 + stake
 * · (difference + margin) for each difference. If the mean loss were at least the margin, no bettor could expect to
 * gain. So the capital reaches 1/alpha with a chance of at most alpha (Ville), for any distribution and however often
 * one looks. A difference is a task's or, for these tasks alone, a trial's: then the product of means is at most the
 * power of their mean. The capital never falls when a difference rises; missing results count as lost.
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
 * The differences to bet on, weighted: those of units or, for these tasks alone, of trials. They're divided by the
 * largest weight so that none can lose more than its stake.
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
  /** The margin in units of these differences. */
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

/** A lower bound for the mean difference at the level 1 − alpha, at most 0. It's minus the smallest margin that is shown. */
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

/** No single stake suits every number of tasks. Betting a third of the capital with each of these is a valid bet too. */
const mixedStakes = [1, 0.5, 0.25] as const;

/** Whether a mean loss of `margin` or more on tasks like these is ruled out, by the same bets without a plan. */
export function isLossRuledOut(pairs: readonly ClaimPair[], margin: number, alpha: number): boolean {
  const drawn = differencesOf(pairs, "tasks like these");
  return mean(mixedStakes.map((stake) => Math.exp(logCapital(drawn, margin, stake)))) >= 1 / alpha;
}

/** Whether the remaining trials could still show it if none of them were lost. If not, continuing is pointless. */
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

/** The log capital that a candidate without any loss falls to in about 1 of 100 cases. */
const nearlyLost = -3;

/** Whether so much capital is lost that continuing would only show how bad it is. */
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
  /** The most trials per task and arm. */
  readonly most: number;
}

/** The power that a plan aims for. */
const aimedPower = 0.9;

/** Trials and stake, fixed before the first call: the fewest trials that reach the intended power, or the maximum. */
export function planNonInferiority(size: NonInferioritySize, scope: LossScope): NonInferiorityPlan {
  const { margin, alpha, most } = size;
  let best = { trials: most, stake: stakes[0] ?? 0.01, power: 0 };
  for (let trials = 1; trials <= most; trials += 1) {
    best = bestStake(size, scope, trials);
    if (best.power >= aimedPower) break;
  }
  return { margin, alpha, scope, ...best };
}

/** A share of the stake that grows fastest if the noise is known. If it's estimated, less is safer and hardly slower. */
const shareOfFastest = 0.8;

/** For a test that looks after every trial, over these tasks alone: the stake that finishes soonest. */
export function planLooks(size: NonInferioritySize): NonInferiorityPlan {
  const { margin, alpha, flipRate, most } = size;
  const stake = Math.min((shareOfFastest * margin) / Math.max(flipRate, leastFlipRate), 1);
  const scope = "these tasks";
  return { margin, alpha, scope, trials: most, stake, power: powerOf(size, scope, most, stake) };
}

/** Whether the margin could be shown if no trial differed, and with how many tasks. */
export function lossLimits({ tasks, margin, alpha, most }: Omit<NonInferioritySize, "flipRate">): {
  readonly possible: boolean;
  readonly tasksNeeded: number;
} {
  const tasksNeeded = Math.ceil(Math.log(1 / alpha) / (most * Math.log1p(margin)));
  return { possible: tasks >= tasksNeeded, tasksNeeded };
}

/** The fewest tasks, at least as many as these, that reach the intended power. */
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

/** Up to a stake of 1: with more, one lost trial would lose more than everything. */
const stakes = Array.from({ length: 30 }, (_, at) => 0.84 ** at);

/** A few steady trials don't prove that a target is steady. */
const leastFlipRate = 0.02;

function bestStake(size: NonInferioritySize, scope: LossScope, trials: number) {
  let best = { trials, stake: stakes[0] ?? 1, power: -1 };
  for (const stake of stakes) {
    const power = powerOf(size, scope, trials, stake);
    if (power > best.power) best = { trials, stake, power };
  }
  return best;
}

/** The chance that a candidate without any loss passes with this stake after this many trials. */
function powerOf(
  { tasks, margin, alpha, flipRate }: NonInferioritySize,
  scope: LossScope,
  trials: number,
  stake: number,
): number {
  const units = scope === "these tasks" ? tasks * trials : tasks;
  const step = scope === "these tasks" ? 1 : 1 / Math.sqrt(trials);
  const share = Math.max(flipRate, leastFlipRate);
  // a difference is one step up or down as often as two trials differ, and otherwise zero
  const values = [-step, 0, step].map((value) => Math.log(Math.max(1 + stake * (value + margin), 1e-9)));
  const chances = [share / 2, 1 - share, share / 2];
  const mean = values.reduce((sum, value, at) => sum + value * (chances[at] ?? 0), 0);
  const square = values.reduce((sum, value, at) => sum + value * value * (chances[at] ?? 0), 0);
  const ahead = (units * mean - Math.log(1 / alpha)) / Math.sqrt(units * (square - mean * mean));
  return ahead >= 0 ? 1 - normalAbove(ahead) : normalAbove(-ahead);
}
