import { seededRandom, shuffle } from "../random.ts";
import { overTasksP } from "./claim-p.ts";
import { type FinishedPair, meanDifference, swapArms } from "./claim-pair.ts";

/** How far the target moved while it was measured, whichever skill it had. */
export interface Drift {
  /** Later minus earlier, in score. */
  readonly size: number;
  /** How often a target that stands still would seem to move as far. */
  readonly p: number;
}

/** How often a target that stands still may be said to drift, over all looks of one run. */
export const driftAlpha = 0.05;

/** One skill on the same tasks early and late: two sides, over tasks. */
export function driftBetween(early: readonly number[], late: readonly number[]): Drift {
  const pairs: FinishedPair[] = early.map((score, task) => ({
    incumbent: [score],
    candidate: [late[task] ?? score],
  }));
  const p = 2 * Math.min(overTasksP(pairs), overTasksP(swapArms(pairs)));
  return { size: meanDifference(pairs), p: Math.min(p, 1) };
}

/** A block's place in time is that in the list: its task, and the mean score of all its arms. */
export interface TimedBlock {
  readonly task: number;
  readonly score: number;
}

const shuffles = 1999;

/**
 * Whether the second half of the blocks differs from the first. Where tasks were tried several times, their own trials
 * change places in time, so that hard and easy tasks do not matter; else the tasks do, whose order was drawn.
 */
export function driftOver(blocks: readonly TimedBlock[], seed: number): Drift | undefined {
  const half = Math.floor(blocks.length / 2);
  if (half < 3) return undefined;
  const late = blocks.map((_, at) => (at < half ? 0 : 1));
  const places = Map.groupBy(blocks.keys(), (at) => blocks[at]?.task ?? 0);
  const isRepeated = [...places.values()].some((own) => own.length > 1);
  const strata = (isRepeated ? [...places.values()] : [[...blocks.keys()]]).filter((own) => own.length > 1);
  let [spread, lean] = [0, 0];
  // of each stratum: its scores, and how late its places are against their own mean
  const parts = strata.map((own) => {
    const scores = own.map((at) => blocks[at]?.score ?? 0);
    const middle = own.reduce((sum, at) => sum + (late[at] ?? 0), 0) / own.length;
    const lateness = own.map((at) => (late[at] ?? 0) - middle);
    spread += lateness.reduce((sum, value) => sum + value * value, 0);
    lean += dot(scores, lateness);
    return { scores, lateness };
  });
  if (spread === 0) return undefined;
  const random = seededRandom("drift", seed, blocks.length);
  const reached = Math.abs(lean) - 1e-9;
  let asFar = 1;
  for (let nth = 0; nth < shuffles; nth += 1) {
    const sum = parts.reduce((all, { scores, lateness }) => all + dot(shuffle(scores, random), lateness), 0);
    if (Math.abs(sum) >= reached) asFar += 1;
  }
  return { size: lean / spread, p: asFar / (shuffles + 1) };
}

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
