import { remembered } from "../../remembered.ts";
import { normalAbove } from "./normal.ts";

export interface TaskModelInput {
  /** Mean pass rate. */
  readonly baseline: number;
  /** How often two trials of one task differ, averaged over tasks. */
  readonly flipRate: number;
}

/** Tasks of different difficulty: the log odds of a pass are normally distributed over tasks. */
export interface TaskModel {
  readonly middle: number;
  readonly spread: number;
}

/** The difficulties with this mean pass rate and flip rate. */
export const taskModel = remembered(({ baseline, flipRate }: TaskModelInput): TaskModel => {
  const middleOf = (spread: number) =>
    solve((middle) => average({ middle, spread }, passRate) - baseline, -oddsLimit, oddsLimit);
  const spread = solve(
    (spread) => flipRate - average({ middle: middleOf(spread), spread }, flips),
    0,
    spreadLimit,
  );
  return { middle: middleOf(spread), spread };
});

/** The shift of every task's log odds that moves the mean pass rate by `effect`. */
export function oddsShift(model: TaskModel, effect: number): number {
  const before = average(model, passRate);
  return solve(
    (shift) => average(model, (odds) => passRate(odds + shift)) - before - effect,
    -oddsLimit,
    oddsLimit,
  );
}

/**
 * A gain on some topics: this share of the mostly failing tasks now passes as reliably as it failed, and the mean pass
 * rate rises by `effect`. Null if too few tasks fail for that.
 */
export function turnedShare(model: TaskModel, effect: number): number | null {
  const room = average(model, (odds) => Math.max(1 - 2 * passRate(odds), 0));
  return effect > room + 1e-9 ? null : effect / room;
}

/** One task's log odds. */
export function drawOdds({ middle, spread }: TaskModel, random: () => number): number {
  return middle + spread * drawNormal(random);
}

export function drawNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function passRate(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

const [oddsLimit, spreadLimit] = [40, 12];

const flips = (odds: number): number => 2 * passRate(odds) * (1 - passRate(odds));

/** Midpoints of 200 equally likely slices of the normal distribution. */
const slices: readonly number[] = Array.from({ length: 200 }, (_, slice) => {
  const below = (slice + 0.5) / 200;
  return solve((value) => (value < 0 ? normalAbove(-value) : 1 - normalAbove(value)) - below, -8, 8);
});

function average({ middle, spread }: TaskModel, value: (odds: number) => number): number {
  return slices.reduce((sum, slice) => sum + value(middle + spread * slice), 0) / slices.length;
}

/** Finds where a rising function crosses zero, or the nearer end. */
function solve(rising: (value: number) => number, low: number, high: number): number {
  let [from, to] = [low, high];
  for (let step = 0; step < 50; step += 1) {
    const middle = (from + to) / 2;
    if (rising(middle) < 0) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}
