import { type ClaimTest, searchTest } from "./claim-p.ts";
import {
  type FinishedPair,
  commonTrials,
  countUnits,
  differences,
  swapArms,
  taskDifference,
  unitSums,
  wholeWeights,
  gridSteps,
  toGrid,
} from "./claim-pair.ts";
import { signFlipP } from "./sign-flip.ts";
import { shiftedWithinTaskP } from "./within-task.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
  /** How often such intervals contain the true value. */
  readonly level: number;
}

/**
 * The interval for the mean difference: every shift that the test wouldn't reject, one side at a time. So it excludes
 * zero exactly when the test says "better" or "worse". If nearly all tasks tie, shifting all of them doesn't model what
 * could come, and the test would reject every shift. Then the interval is as wide as Student's with two invented tasks.
 */
export function claimInterval(
  pairs: readonly FinishedPair[],
  level: number,
  test: ClaimTest = searchTest(countUnits(pairs)),
  /** Identical repeats count once. */
  steady = false,
): Interval {
  if (pairs.length === 0) return { low: -1, high: 1, level };
  const alpha = (1 - level) / 2;
  const lowOf = test === "sign-flip" ? lowOverTasks : lowOnTheseTasks;
  const { middle, error, freedom } = test === "sign-flip" ? overTasks(pairs, steady) : onTheseTasks(pairs);
  const reach = studentQuantile((1 + level) / 2, freedom) * error;
  const low = outermost(lowOf(pairs, alpha), middle - reach);
  const high = outermost(lowOf(swapArms(pairs), alpha), -middle - reach);
  return { low: Math.max(low, -1), high: Math.min(0 - high, 1), level };
}

/** The lower of two lower bounds, but on the test's side of zero. */
const outermost = (tested: number, wide: number): number =>
  tested > 0 && wide <= 0 ? tested : Math.min(tested, wide);

interface Estimate {
  readonly middle: number;
  readonly error: number;
  readonly freedom: number;
}

/** Adds two invented units, one won and one lost by 1/√K, to the real ones (Bonett–Price for K = 1). */
function overTasks(pairs: readonly FinishedPair[], steady: boolean): Estimate {
  const sums = unitSums(pairs, differences(pairs));
  const total =
    wholeWeights(pairs).reduce((sum, weight) => sum + weight, 0) * gridSteps * commonTrials(pairs);
  const rolled = pairs.reduce((sum, { candidate }) => sum + candidate.length, 0) / pairs.length;
  const trials = steady ? 1 : rolled;
  const count = sums.length + 2;
  let [sum, squares] = [0, 2 / trials];
  for (const one of sums) {
    const difference = (one * sums.length) / total;
    sum += difference;
    squares += difference * difference;
  }
  const middle = sum / count;
  const error = Math.sqrt((squares / count - middle * middle) / count);
  return { middle, error, freedom: count - 1 };
}

/** Only trials vary. Each task's two arms share half a unit of added squares, the most that one trial each can have. */
function onTheseTasks(pairs: readonly FinishedPair[]): Estimate {
  const weights = wholeWeights(pairs);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [sum, variance, freedom] = [0, 0, 0];
  pairs.forEach((pair, task) => {
    const trials = pair.candidate.length;
    const share = (weights[task] ?? 1) / total;
    sum += share * taskDifference(pair);
    const squares = squaresWithin(pair.incumbent) + squaresWithin(pair.candidate) + 0.5;
    variance += (share * share * squares) / (trials * trials);
    freedom += 2 * (trials - 1);
  });
  return { middle: sum, error: Math.sqrt(variance), freedom: Math.max(freedom, pairs.length) };
}

function squaresWithin(trials: readonly number[]): number {
  const values = trials.map((trial) => toGrid(trial) / gridSteps);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** The approximate maximum number of cells in an exact test's table at one shift. */
const cells = 40_000;

function lowOverTasks(pairs: readonly FinishedPair[], alpha: number): number {
  // a score of one in the integer units of `differences`
  const whole = gridSteps * commonTrials(pairs);
  const weights = unitSums(pairs, wholeWeights(pairs));
  const sums = unitSums(pairs, differences(pairs));
  const all = weights.reduce((sum, weight) => sum + weight, 0) * whole;
  const finer = Math.min(Math.max(Math.floor(cells / all), 1), Math.ceil(1000 / whole));
  const pAt = (shift: number) =>
    signFlipP(sums.map((sum, unit) => sum * finer - shift * (weights[unit] ?? 1)));
  return firstKept(pAt, alpha, whole * finer);
}

function lowOnTheseTasks(pairs: readonly FinishedPair[], alpha: number): number {
  const trials = Math.max(...pairs.map(({ candidate }) => candidate.length));
  const finer = Math.max(Math.floor(50 / trials), 1);
  return firstKept((shift) => shiftedWithinTaskP(pairs, finer, shift), alpha, gridSteps * finer);
}

/** The smallest shift that isn't rejected, as a score; minus half a step, because the border lies between two steps. */
function firstKept(pAt: (shift: number) => number, alpha: number, one: number): number {
  if (pAt(-one) > alpha) return -1;
  let [refused, kept] = [-one, one + 1];
  while (kept - refused > 1) {
    const middle = Math.floor((refused + kept) / 2);
    if (pAt(middle) <= alpha) refused = middle;
    else kept = middle;
  }
  return Math.min((kept - 0.5) / one, 1);
}

/** The value that a Student t variable with this many degrees of freedom stays below with the given chance. */
export function studentQuantile(chance: number, freedom: number): number {
  if (chance < 0.5) return -studentQuantile(1 - chance, freedom);
  let [low, high] = [0, 1];
  while (studentBelow(high, freedom) < chance) high *= 2;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (studentBelow(middle, freedom) < chance) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The chance that a Student t variable is below `value`: a finite sum for whole degrees of freedom. */
function studentBelow(value: number, freedom: number): number {
  const angle = Math.atan(value / Math.sqrt(freedom));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const odd = freedom % 2 === 1;
  let [term, sum] = [odd ? cosine : 1, 0];
  for (let power = odd ? 1 : 0; power <= freedom - 2; power += 2) {
    sum += term;
    term *= (cosine * cosine * (power + 1)) / (power + 2);
  }
  const between = odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return (1 + between) / 2;
}
