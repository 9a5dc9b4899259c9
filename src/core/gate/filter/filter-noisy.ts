import {
  type Judging,
  type Scatter,
  type NoisyState,
  filterConstants,
  isGraded,
  mean,
  noiseShare,
  passFailVariance,
} from "./filter-state.ts";
import { type Gaussian, observe, sums, valueOfKnowing, varianceOfDifference } from "./gaussian.ts";

// places in NoisyState.known; a candidate under judgement adds two behind them
const [original, incumbent, meanEffect, gain, candidate, candidateGain] = [0, 1, 2, 3, 4, 5] as const;

export interface NoisyVerdict {
  readonly action: "accept" | "reject" | "return-to-original";
  readonly estimate: number;
  readonly sd: number;
  readonly state: NoisyState;
}

/** Accept when the expected effect is positive; leave an incumbent that is expected to be below the original. */
export function judgeNoisy(judging: Judging, state: NoisyState): NoisyVerdict {
  const seen = tally(judging, state);
  const { known, estimate, sd } = learn(state, seen);
  const accepted = estimate > 0;
  const kept = sums(
    known,
    accepted
      ? [[original], [candidate], [meanEffect], [candidateGain]]
      : [[original], [incumbent], [meanEffect], [gain]],
  );
  const returned = (kept.mean[gain] ?? 0) < -1e-9;
  const next = returned ? sums(kept, [[original], [original], [meanEffect], []]) : kept;
  const noise = addNoise(state, seen);
  const averages = moveAverages(state, seen, kept.mean[incumbent] ?? 0, next.mean[incumbent] ?? 0);
  return {
    action: returned ? "return-to-original" : accepted ? "accept" : "reject",
    estimate,
    sd,
    state: { kind: "noisy", averages, known: next, noise, judged: state.judged + 1 },
  };
}

/** Whether another pass would be worth less than its rollouts. */
export function isSettled(judging: Judging, state: NoisyState): boolean {
  const seen = tally(judging, state);
  if (seen.spread === 0) return false;
  const { known, estimate } = learn(state, seen);
  const { share, slope, pass } = scales(state);
  const later = observe(known, candidate, 0, (share * slope * slope) / pass);
  const learned = effectVariance(known) - effectVariance(later);
  return valueOfKnowing(estimate, Math.sqrt(Math.max(learned, 1e-14))) < judging.passWorth;
}

/** Whether the incumbent's gain is too much in doubt to end the search with it. */
export function isDoubtful({ known, judged }: NoisyState): boolean {
  const { finalDoubt, fullDoubtAfter } = filterConstants;
  const deviation = Math.sqrt(known.covariance[gain]?.[gain] ?? 0);
  const doubt = finalDoubt * Math.sqrt(Math.min(judged / fullDoubtAfter, 1));
  return (known.mean[gain] ?? 0) < doubt * deviation;
}

/** The incumbent's score as the search sees it: an estimate, not a claim. */
export function expectedScore({ known }: NoisyState): number {
  // the estimate is Gaussian and knows no bounds; a score does
  return Math.min(Math.max((known.mean[original] ?? 0) + (known.mean[gain] ?? 0), 0), 1);
}

interface Seen {
  /** Scores of the candidate by task. */
  readonly byTask: readonly (readonly number[])[];
  /** Sum of results minus their tasks' averages, and of their tasks' variances. */
  readonly surplus: number;
  readonly spread: number;
}

function tally({ order, scores }: Judging, { averages }: NoisyState): Seen {
  const byTask = averages.map((): number[] => []);
  let [surplus, spread] = [0, 0];
  scores.forEach((score, at) => {
    const task = order[at % order.length] ?? 0;
    const average = averages[task] ?? 0;
    if (score === null) return;
    byTask[task]?.push(score);
    surplus += score - average;
    spread += passFailVariance(average);
  });
  return { byTask, surplus, spread };
}

function learn(state: NoisyState, { byTask, surplus, spread }: Seen) {
  const expected = withCandidate(state);
  const { share, slope } = scales(state);
  // an edit moves a task in proportion to its variance, so results on settled tasks weigh less
  const value = (expected.mean[incumbent] ?? 0) + (slope * surplus) / spread;
  const doubt = (share * slope * slope) / spread + unseenSpread(byTask);
  const known = observe(blameCandidate(expected, value, doubt), candidate, value, doubt);
  const estimate = (known.mean[candidateGain] ?? 0) - (known.mean[gain] ?? 0);
  return { known, estimate, sd: Math.sqrt(Math.max(effectVariance(known), 0)) };
}

/**
 * A result far below what any usual edit would do is the candidate's own: without this, a row of ruinous candidates
 * would drag the incumbent's estimate down until one of them looks like progress.
 */
function blameCandidate(expected: Gaussian, value: number, doubt: number): Gaussian {
  const variance = (expected.covariance[candidate]?.[candidate] ?? 0) + doubt;
  const shortfall = Math.max((expected.mean[candidate] ?? 0) - value, 0);
  const missing = (shortfall / filterConstants.surprise) ** 2 - variance;
  return missing <= 0
    ? expected
    : { ...expected, covariance: addToCandidate(expected.covariance, missing, missing) };
}

/** Adds variance that belongs to the candidate alone, on val and beyond it. */
function addToCandidate(
  covariance: Gaussian["covariance"],
  onVal: number,
  own: number,
): Gaussian["covariance"] {
  const extra = (row: number, column: number) =>
    row < candidate || column < candidate ? 0 : row === candidate && column === candidate ? onVal : own;
  return covariance.map((cells, row) => cells.map((cell, column) => cell + extra(row, column)));
}

/** Until a pass is complete, the edit's effect on the tasks not yet seen may differ from that on those seen. */
function unseenSpread(byTask: Seen["byTask"]): number {
  const seen = byTask.filter((scores) => scores.length > 0).length;
  return filterConstants.taskSpread ** 2 * (1 / seen - 1 / byTask.length);
}

/** The candidate is the incumbent plus the mean effect plus an effect of its own; val shows it with its tasks' luck. */
function withCandidate({ averages, known }: NoisyState): Gaussian {
  const { effectSpread, taskSpread } = filterConstants;
  const { mean, covariance } = sums(known, [
    [original],
    [incumbent],
    [meanEffect],
    [gain],
    [incumbent, meanEffect],
    [gain, meanEffect],
  ]);
  const own = effectSpread ** 2;
  return { mean, covariance: addToCandidate(covariance, own + taskSpread ** 2 / averages.length, own) };
}

function scales({ averages, noise }: NoisyState) {
  const pass = averages.reduce((sum, average) => sum + passFailVariance(average), 0);
  return { share: noiseShare(noise), slope: pass / averages.length, pass };
}

const effectVariance = (known: Gaussian): number => varianceOfDifference(known, candidateGain, gain);

/** Averages follow the incumbent's estimate, and each seen task what it showed beyond the candidate's own shift. */
function moveAverages(state: NoisyState, seen: Seen, shifted: number, target: number): number[] {
  const { slope } = scales(state);
  const shift = (shifted - (state.known.mean[incumbent] ?? 0)) / slope;
  const common = seen.surplus / seen.spread;
  const moved = state.averages.map((average, task) => {
    const scores = seen.byTask[task] ?? [];
    const variance = passFailVariance(average);
    if (scores.length === 0) return within(average + shift * variance);
    const trust = 1 - (1 - filterConstants.memory) ** scores.length;
    return within(average + shift * variance + trust * (mean(scores) - average - common * variance));
  });
  const correction = target - mean(moved);
  return moved.map((average) => within(average + correction));
}

const within = (average: number): number => Math.min(Math.max(average, 0.01), 0.99);

/** Repeated trials of one candidate on one task show pure noise. */
function addNoise({ averages, noise }: NoisyState, { byTask }: Seen): Scatter {
  let { graded, squares, expected } = noise;
  byTask.forEach((scores, task) => {
    graded ||= scores.some(isGraded);
    if (scores.length < 2) return;
    const middle = mean(scores);
    squares += scores.reduce((sum, score) => sum + (score - middle) ** 2, 0);
    expected += (scores.length - 1) * passFailVariance(averages[task] ?? 0);
  });
  return { graded, squares, expected };
}
