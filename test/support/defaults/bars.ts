import type { Counts } from "../share-repetitions.ts";
import { fallsShort } from "../rate-bar.ts";
import type { DefaultsCell } from "./cells.ts";

export interface CountedRun {
  readonly cell: DefaultsCell;
  readonly counts: Counts;
}

/** Rollouts of a run with 100 tasks in version 0.1.0, all defaults. */
const before = 575;

const promises = [
  { effort: "standard", proven: 0.75, rollouts: 2 * before },
  { effort: "quick", proven: 0.4, rollouts: 1.2 * before },
] as const;

/** What falls short, in words; none means shown. */
export function defaultsBars(results: readonly CountedRun[]): readonly string[] {
  return [...results.flatMap(promiseOf), ...falls(results)];
}

function promiseOf({ cell, counts }: CountedRun): readonly string[] {
  const promise = promises.find(({ effort }) => effort === cell.effort && cell.tasks === 100);
  if (promise === undefined) return [];
  const { better: hits = 0, runs: trials = 0 } = counts;
  const { mean, error } = meanOf(counts, "rollouts", "rolloutSquares");
  const name = `100 tasks, ${cell.effort}`;
  return [
    ...(fallsShort({ hits, trials }, { least: promise.proven }, promises.length)
      ? [`${name}: ${percent(hits / trials)} are proven, ${percent(promise.proven)} promised`]
      : []),
    ...(mean > promise.rollouts + 3 * error
      ? [`${name}: ${mean.toFixed(0)} rollouts, at most ${promise.rollouts} promised`]
      : []),
  ];
}

/** More tasks never give less, beyond three standard errors. */
function falls(results: readonly CountedRun[]): readonly string[] {
  const standard = results.filter(({ cell }) => cell.effort === "standard");
  return [...gainFalls(standard), ...shareFalls(standard)];
}

function gainFalls(standard: readonly CountedRun[]): readonly string[] {
  return standard.slice(1).flatMap((larger, at) => {
    const [one, other] = [standard[at]?.counts ?? {}, larger.counts].map((counts) =>
      meanOf(counts, "gain", "gainSquares"),
    );
    if (one === undefined || other === undefined) return [];
    return one.mean - other.mean > 3 * Math.hypot(one.error, other.error)
      ? [
          `the true gain falls from ${one.mean.toFixed(1)} to ${other.mean.toFixed(1)} points at ${larger.cell.tasks} tasks`,
        ]
      : [];
  });
}

function shareFalls(standard: readonly CountedRun[]): readonly string[] {
  const shares = [
    { name: "power", of: "gains", count: "found" },
    { name: "share proven", of: "runs", count: "better" },
    { name: "better or higher", of: "runs", count: "named" },
  ];
  return standard.slice(1).flatMap((larger, at) =>
    shares.flatMap(({ name, of, count }) => {
      const [one, other] = [standard[at]?.counts ?? {}, larger.counts].map((counts) =>
        shareOf(counts[count] ?? 0, counts[of] ?? 0),
      );
      if (one === undefined || other === undefined) return [];
      const fall = one.share - other.share;
      return fall > 3 * Math.hypot(one.error, other.error)
        ? [
            `${name} falls from ${percent(one.share)} to ${percent(other.share)} at ${larger.cell.tasks} tasks`,
          ]
        : [];
    }),
  );
}

export function shareOf(count: number, of: number) {
  // one invented success and one failure: a few runs that all end alike are not certain
  const middle = (count + 1) / (of + 2);
  return { share: of === 0 ? 0 : count / of, error: Math.sqrt((middle * (1 - middle)) / (of + 2)) };
}

export function meanOf(counts: Counts, sumKey: string, squaresKey: string) {
  const { runs = 1, [sumKey]: sum = 0, [squaresKey]: squares = 0 } = counts;
  const mean = sum / runs;
  return { mean, error: Math.sqrt(Math.max(squares / runs - mean * mean, 0) / Math.max(runs - 1, 1)) };
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
