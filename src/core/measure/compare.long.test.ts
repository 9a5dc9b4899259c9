import { join } from "node:path";
import { type CompareCell, compareCells, firstPercent } from "../../../test/support/compare/cells.ts";
import { held, markdownTable } from "../../../test/support/gate-results.ts";
import { alignedTable } from "../../../test/support/aligned-table.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { fallsShort } from "../../../test/support/rate-bar.ts";
import { type Counts, shareRepetitions } from "../../../test/support/share-repetitions.ts";

const claim =
  'However many texts are compared on the same tasks, by any commands, at most 5% of files show a false "better". A gain is still found after ten questions, and in CI after a hundred.';

longTest(claim, compareOften, ["--repetitions", "12"]);

async function compareOften({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const workers = numberOption(args, "workers", 1);
  const repetitions = numberOption(args, "repetitions", short ? 60 : 1000);
  log(`${compareCells.length} cells of ${repetitions} repetitions with seed ${seed}`);
  const counts = await shareRepetitions({
    script: join(import.meta.dirname, "../../../test/support/compare/worker.ts"),
    cells: compareCells.length,
    repetitions,
    workers,
    seed,
  });
  const rates = compareCells.flatMap((cell, at) => ratesOf(cell, counts[at] ?? {}));
  const table = {
    title: "Words, as shares of the files or of the questions, and what they are held to",
    head: ["cell", "what", "share", "bar"],
    rows: rates.map(({ cell, what, hits, trials, bar }) => [
      cell,
      what,
      `${((100 * hits) / trials).toFixed(1)}%`,
      bar === undefined ? "" : "most" in bar ? `≤ ${100 * bar.most}%` : `≥ ${100 * bar.least}%`,
    ]),
  };
  for (const line of alignedTable(table)) log(line);
  const bars = rates.filter(({ bar }) => bar !== undefined);
  const shortfalls = bars
    .filter(({ hits, trials, bar }) => bar !== undefined && fallsShort({ hits, trials }, bar, bars.length))
    .map(({ cell, what, hits, trials }) => `${cell}, ${what}: ${hits} of ${trials}`);
  for (const shortfall of shortfalls) log(`SHORT: ${shortfall}`);
  return {
    ok: shortfalls.length === 0,
    figures: { seed, repetitions, cells: compareCells.length, shortfalls },
    page: [
      `${claim} ${repetitions} repetitions of a cell.`,
      "",
      held(shortfalls),
      "",
      ...notes.map((note) => `- ${note}`),
      "",
      markdownTable(table),
    ].join("\n"),
  };
}

interface Rate {
  readonly cell: string;
  readonly what: string;
  readonly hits: number;
  readonly trials: number;
  /** None for figures that are only printed. */
  readonly bar?: { readonly most: number } | { readonly least: number };
}

function ratesOf({ kind, name: cell }: CompareCell, counts: Counts): readonly Rate[] {
  const rate = (what: string, hits: string, of: string, bar?: Rate["bar"]): Rate => ({
    cell,
    what,
    hits: counts[hits] ?? 0,
    trials: counts[of] ?? 0,
    ...(bar === undefined ? {} : { bar }),
  });
  const most = { most: 0.05 };
  switch (kind) {
    case "texts":
      return [
        rate("any false better", "better", "runs", most),
        rate("any false worse", "worse", "runs", most),
        rate("any false better if each were a first question", "counted", "runs"),
      ];
    case "mixed":
      return [
        rate("any false better", "better", "runs", most),
        rate("false worse, of questions", "worse", "asked", most),
      ];
    case "reads":
      return [
        rate("shown with all 5% at once", "fresh", "runs"),
        rate("shown at the first read", "first", "runs", { least: 0.9 }),
        rate("shown at the eleventh", "eleventh", "runs", { least: 0.6 }),
      ];
    case "pull-requests":
      return [
        rate("false worse, of pull requests", "worse", "asked", most),
        rate("false better, of pull requests", "falseBetter", "asked", most),
        rate("any false better in a hundred", "better", "runs"),
        rate("a gain of 25 points after a hundred", "found", "runs", { least: 0.5 }),
      ];
  }
}

const notes = [
  `Three fifths of 5% go to the first question on a file, two thirds of the rest to the next ten together, two thirds of what is left then to the ten after those. A first look spends nine tenths of its part: ${firstPercent} at a first question.`,
  "Worthless texts behave like the baseline, or move single tasks and nothing on average. Task difficulty is logit-normal with mean 0.5 and flip rate 0.3 unless the cell says otherwise. Each text has draws of its own and of the baseline.",
  "Pull requests use a memory that fades: a question counts half after 30 more. So over a long time false betters do come, but of the questions that are remembered no more than 5% in all.",
  "Left out: real models, missing results, groups, graded scores (proof `claims`), a provider that moves (proof `drift`).",
  "A rate falls short when the exact one-sided binomial p against its bar, times the number of bars, is below 1%.",
];
