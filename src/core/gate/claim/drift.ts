import { overTasksP } from "./claim-p.ts";
import { type FinishedPair, meanDifference, swapArms } from "./claim-pair.ts";
import { normalAbove } from "./normal.ts";

/** How far the target moved during the measurement, with either skill. */
export interface Drift {
  /** Later minus earlier, in score. */
  readonly size: number;
  /** How often an unchanged target would seem to move this far. */
  readonly p: number;
}

/** How often an unchanged target may be reported as drifting, over all looks of one run. */
const driftAlpha = 0.05;

/** The drift to report after this many looks; undefined unless it's clear. */
export const clearDrift = (drift: Drift | undefined, looks: number): Drift | undefined =>
  drift !== undefined && drift.p <= driftAlpha / looks ? drift : undefined;

/** One skill on the same tasks early and late: two-sided, across tasks. */
export function driftBetween(early: readonly number[], late: readonly number[]): Drift {
  const pairs: FinishedPair[] = early.map((score, task) => ({
    incumbent: [score],
    candidate: [late[task] ?? score],
  }));
  const p = 2 * Math.min(overTasksP(pairs), overTasksP(swapArms(pairs)));
  return { size: meanDifference(pairs), p: Math.min(p, 1) };
}

/** A block's position in the list is its position in time. It has a task and the mean score of all its arms. */
export interface TimedBlock {
  readonly task: number;
  readonly score: number;
}

/** Fewer blocks than this say nothing about time. */
const fewestBlocks = 12;

/**
 * Whether the second half of the blocks differs from the first. If tasks were tried several times, their own trials are
 * swapped in time, so that hard and easy tasks don't matter. Otherwise the tasks are swapped, because their order was
 * random. The mean and variance of such swaps are known exactly, and a normal distribution is assumed.
 */
export function driftOver(blocks: readonly TimedBlock[]): Drift | undefined {
  if (blocks.length < fewestBlocks) return undefined;
  const isLate = (at: number) => (at < blocks.length / 2 ? 0 : 1);
  const places = [...Map.groupBy(blocks.keys(), (at) => blocks[at]?.task ?? 0).values()];
  const strata = places.some((own) => own.length > 1) ? places : [[...blocks.keys()]];
  let [spread, lean, variance] = [0, 0, 0];
  for (const own of strata) {
    if (own.length < 2) continue;
    const scores = centred(own.map((at) => blocks[at]?.score ?? 0));
    const lateness = centred(own.map(isLate));
    const late = dot(lateness, lateness);
    spread += late;
    lean += dot(scores, lateness);
    variance += (dot(scores, scores) * late) / (own.length - 1);
  }
  if (spread === 0) return undefined;
  if (variance === 0) return { size: 0, p: 1 };
  return { size: lean / spread, p: Math.min(2 * normalAbove(Math.abs(lean) / Math.sqrt(variance)), 1) };
}

function centred(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
