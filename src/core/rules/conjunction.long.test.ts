import { join } from "node:path";
import { alignedTable } from "../../../test/support/aligned-table.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { type ConjunctionCell, conjunctionCells } from "../../../test/support/rules/conjunction-cells.ts";
import { type Counts, shareRepetitions } from "../../../test/support/share-repetitions.ts";

const claim =
  "If tasks pass only when several checks hold, the search gains more than judging patches, and keeps something if good rules were proposed.";

// the first of the seeds that nothing was tuned on
longTest(claim, conjunction, ["--seeds", "2", "--every", "5"]);

async function conjunction({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 20_001);
  const repetitions = numberOption(args, "seeds", short ? 2 : 100);
  const every = numberOption(args, "every", 1);
  const cells = conjunctionCells.filter((_, at) => at % every === 0);
  log(
    `${cells.length} cells, ${repetitions} seeds from ${seed} (--seed, --seeds, --every <nth cell>, --workers)`,
  );
  log(
    "Left out: checks that depend on each other, rules that help one task and harm another, proposals by a real model.",
  );
  const measure = (misleads: boolean) =>
    shareRepetitions({
      script: join(import.meta.dirname, "../../../test/support/rules/conjunction-worker.ts"),
      cells: cells.length,
      repetitions,
      workers: numberOption(args, "workers", 1),
      seed,
      options: [Number(misleads), every],
      onCell: () => undefined,
    });
  const honest = await measure(false);
  const misleading = await measure(true);
  const over = (counts: readonly Counts[], isIn: (cell: ConjunctionCell) => boolean) =>
    summary(
      counts.filter((_, at) => isIn(cells[at] as ConjunctionCell)),
      repetitions,
    );
  const bySize = new Map(
    [4, 8, 15, 30, 100].map((size) => [size, over(honest, ({ options }) => options.tasks === size)]),
  );
  const all = over(honest, () => true);
  const misled = over(misleading, () => true);
  const worst = cells
    .map((cell) => ({ name: cell.name, ...over(honest, (one) => one === cell) }))
    .toSorted((a, b) => a.ahead - b.ahead)[0];
  const row = (name: string, one: Summary) => [
    name,
    one.ours.toFixed(1),
    one.strict.toFixed(1),
    `${one.ahead.toFixed(1)} (${one.error.toFixed(1)})`,
    `${(100 * one.nothing).toFixed(1)}%`,
    `${(100 * one.below).toFixed(1)}%`,
  ];
  const table = alignedTable({
    title: "True gain in points, difference (standard error)",
    head: ["worlds", "ours", "strict", "ahead", "keeps nothing", "below the original"],
    rows: [
      row("all", all),
      ...[...bySize].map(([size, one]) => row(`val ${size}`, one)),
      row("partial credit misleads", misled),
      ...(worst === undefined ? [] : [row(`worst: ${worst.name}`, worst)]),
    ],
  });
  for (const line of table) log(line);
  const shortfalls = [
    ...(all.ours + 2 * all.error < 1.3 * all.strict
      ? [`gains ${(all.ours / all.strict).toFixed(2)} of what strict gains, not 1.3`]
      : []),
    ...[...bySize].flatMap(([size, { ahead, error }]) =>
      ahead < -2 * error ? [`val ${size}: ${ahead.toFixed(1)} points ahead of strict`] : [],
    ),
    ...(misled.ahead < -2 * misled.error
      ? [`misled: ${misled.ahead.toFixed(1)} points ahead of strict`]
      : []),
    ...(!short && worst !== undefined && worst.ahead + 3 * worst.error < -10
      ? [`${worst.name}: ${worst.ahead.toFixed(1)}`]
      : []),
    ...(all.nothing > 0.05 + 3 * Math.sqrt((0.05 * 0.95) / all.known)
      ? [`keeps nothing in ${(100 * all.nothing).toFixed(1)}%`]
      : []),
  ];
  for (const shortfall of shortfalls) log(`SHORT: ${shortfall}`);
  const { ours, strict, ahead, nothing, below } = all;
  return {
    ok: shortfalls.length === 0,
    figures: {
      seed,
      seeds: repetitions,
      ours,
      strict,
      ahead,
      nothing,
      below,
      misled: misled.ahead,
      shortfalls,
    },
  };
}

interface Summary {
  readonly ours: number;
  readonly strict: number;
  readonly ahead: number;
  readonly error: number;
  readonly known: number;
  readonly nothing: number;
  readonly below: number;
}

function summary(counts: readonly Counts[], repetitions: number): Summary {
  const runs = counts.length * repetitions;
  const sum = (name: string) => counts.reduce((all, one) => all + (one[name] ?? 0), 0);
  const [ours, strict, known] = [sum("ours") / runs, sum("strict") / runs, sum("known")];
  const ahead = ours - strict;
  return {
    ours,
    strict,
    ahead,
    error: Math.sqrt(Math.max(sum("squares") / runs - ahead ** 2, 0) / runs),
    known,
    nothing: sum("nothing") / Math.max(known, 1),
    below: sum("below") / runs,
  };
}
