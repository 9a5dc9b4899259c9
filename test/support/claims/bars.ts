import type { CountedCell } from "./counted-cell.ts";
import { shownLevel } from "../../../src/core/shown-level.ts";
import { fallsShort } from "../rate-bar.ts";

/** What falls short, in words; none means shown. */
export function claimsBars(results: readonly CountedCell[]): readonly string[] {
  const rates = results.flatMap(ratesOf);
  const { powerFirst, powerTenth, ratioError } = tenFigures(results);
  return [
    ...rates
      .filter(({ hits, trials, bar }) => fallsShort({ hits, trials }, bar, rates.length))
      .map(({ name, hits, trials }) => `${name}: ${hits} of ${trials}`),
    ...results.flatMap(({ cell, counts }) =>
      (counts["testTasksSeen"] ?? 0) + (counts["readsNotCounted"] ?? 0) > 0
        ? [`${cell.name}: a task that was trained on is tested on, or a read is not counted`]
        : [],
    ),
    ...(powerTenth < 0.6 * powerFirst - 3 * ratioError
      ? [
          `ten runs: the power of the tenth is ${powerTenth.toFixed(2)}, of the first ${powerFirst.toFixed(2)}`,
        ]
      : []),
  ];
}

interface Rate {
  readonly name: string;
  readonly hits: number;
  readonly trials: number;
  readonly bar: { readonly most: number } | { readonly least: number };
}

function ratesOf({ cell, counts }: CountedCell): readonly Rate[] {
  const { claims = 0, better = 0, falseBetter = 0, falseWorse = 0 } = counts;
  const bar = { most: 0.05 };
  if (cell.kind === "ten")
    return [{ name: `${cell.name}, false betters`, hits: falseBetter, trials: better, bar }];
  if (cell.kind === "skewed") {
    const { betterThatNames = 0, betterWithLoss = 0, betterThatSays = 0, boundHolds = 0 } = counts;
    const least = (what: string, hits: number, trials: number, share: number): Rate => ({
      name: `skewed, ${cell.name}, ${what}`,
      hits,
      trials,
      bar: { least: share },
    });
    return [
      least("betters that name all they lose", betterThatNames, betterWithLoss, 0.95),
      least("betters that say how many could fall", betterThatSays, better, 1),
      least("bounds on that which hold", boundHolds, claims, shownLevel),
    ];
  }
  return [
    { name: `${cell.name}, false better`, hits: falseBetter, trials: claims, bar },
    { name: `${cell.name}, false worse`, hits: falseWorse, trials: claims, bar },
  ];
}

/** How often a true run was found at the first and at the tenth read, and the error of that against the bar. */
export function tenFigures(results: readonly CountedCell[]) {
  const counts = results.find(({ cell }) => cell.kind === "ten")?.counts ?? {};
  const power = (read: number) => {
    const { [`true ${read}`]: runs = 0, [`found ${read}`]: found = 0 } = counts;
    // one invented success and one failure: a few runs that all end alike are not certain
    const middle = (found + 1) / (runs + 2);
    return { share: found / Math.max(runs, 1), variance: (middle * (1 - middle)) / (runs + 2) };
  };
  const [first, tenth] = [power(1), power(10)];
  return {
    powerFirst: first.share,
    powerTenth: tenth.share,
    ratioError: Math.sqrt(tenth.variance + 0.36 * first.variance),
  };
}
