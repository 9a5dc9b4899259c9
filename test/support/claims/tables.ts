import type { CountedCell } from "./counted-cell.ts";
import type { Table } from "../aligned-table.ts";
import type { Counts } from "../share-repetitions.ts";

export function claimsTables(results: readonly CountedCell[]): readonly Table[] {
  const of = (...kinds: readonly string[]) => results.filter(({ cell }) => kinds.includes(cell.kind));
  return [
    {
      title: "Words without a truth behind them, as shares of the claims",
      head: ["cell", "runs", "claims", "better", "false", "worse", "false", "higher", "lower", "false here"],
      rows: of("training", "looks", "grown").map(({ cell, counts }) => [
        cell.name,
        ...numbers(counts, "runs", "claims", "better"),
        percent(counts["falseBetter"], counts["claims"]),
        ...numbers(counts, "worse"),
        percent(counts["falseWorse"], counts["claims"]),
        ...numbers(counts, "higher", "lower", "falseHere"),
      ]),
    },
    {
      title: "A file that grew by one task between two runs",
      head: ["cell", "files", "test tasks that were on train or val", "reads not counted"],
      rows: of("grown").map(({ cell, counts }) => [
        cell.name,
        ...numbers(counts, "runs", "testTasksSeen", "readsNotCounted"),
      ]),
    },
    {
      title: "Ten runs on one test set: how often a true one is called better, by its number",
      head: ["figure", ...reads.map(String), "betters", "of them false"],
      rows: of("ten").map(({ counts }) => [
        "power",
        ...reads.map((read) => percent(counts[`found ${read}`], counts[`true ${read}`])),
        ...numbers(counts, "better"),
        percent(counts["falseBetter"], counts["better"]),
      ]),
    },
    {
      title:
        "Skewed effects (+5 on nine tasks of ten, −45 on the tenth, graded): the mean is zero, but the test asks for symmetry",
      head: [
        "cell",
        "claims",
        "better",
        "worse",
        "betters that say how many could fall",
        "bounds that hold",
        "betters with a loss",
        "of them name all they lose",
      ],
      rows: of("skewed").map(({ cell, counts }) => [
        cell.name,
        ...numbers(counts, "claims"),
        percent(counts["better"], counts["claims"]),
        percent(counts["worse"], counts["claims"]),
        percent(counts["betterThatSays"], counts["better"]),
        percent(counts["boundHolds"], counts["claims"]),
        ...numbers(counts, "betterWithLoss"),
        percent(counts["betterThatNames"], counts["betterWithLoss"]),
      ]),
    },
  ];
}

const reads = Array.from({ length: 10 }, (_, at) => at + 1);

const numbers = (counts: Counts, ...keys: readonly string[]): string[] =>
  keys.map((key) => (counts[key] === undefined ? "–" : String(counts[key])));

const percent = (count = 0, of = 0): string => (of === 0 ? "–" : `${((100 * count) / of).toFixed(1)}%`);
