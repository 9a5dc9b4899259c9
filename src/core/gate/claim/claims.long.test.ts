import { join } from "node:path";
import { type CountedCell } from "../../../../test/support/claims/counted-cell.ts";
import { claimsBars, tenFigures } from "../../../../test/support/claims/bars.ts";
import { claimsCells } from "../../../../test/support/claims/cells.ts";
import { claimsTables } from "../../../../test/support/claims/tables.ts";
import { longTest } from "../../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../../test/support/proof.ts";
import { leftOut } from "../../../../test/support/edit-world.ts";
import { held, markdownTable } from "../../../../test/support/gate-results.ts";
import { alignedTable } from "../../../../test/support/aligned-table.ts";
import { shareRepetitions } from "../../../../test/support/share-repetitions.ts";

const claim =
  'Over whole runs, including the search, at most 5% of claims are a false "better" and at most 5% a false "worse". This holds for pass/fail scores and declared groups, with any number of tasks, looks and reads. After ten runs there is still power left.';

longTest(claim, claims, ["--repetitions", "3"]);

async function claims({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const workers = numberOption(args, "workers", 1);
  const repetitions = numberOption(args, "repetitions", short ? 30 : 1000);
  log(
    `${claimsCells.length} cells of ${repetitions} repetitions, a tenth of that for whole searches and a twentieth for ten of them, with seed ${seed} (two processes: --workers 2)`,
  );
  for (const note of notes) log(note);
  const counts = await shareRepetitions({
    script: join(import.meta.dirname, "../../../../test/support/claims/worker.ts"),
    cells: claimsCells.length,
    repetitions,
    workers,
    seed,
  });
  const results = claimsCells.map((cell, at): CountedCell => ({ cell, counts: counts[at] ?? {} }));
  const tables = claimsTables(results);
  for (const table of tables) for (const line of alignedTable(table)) log(line);
  const shortfalls = claimsBars(results);
  for (const shortfall of shortfalls) log(`SHORT: ${shortfall}`);
  const page = [
    `${claim} ${repetitions} repetitions of a cell, a tenth of that for whole searches and a twentieth for ten of them.`,
    "",
    held(shortfalls),
    "",
    ...notes.map((note) => `- ${note}`),
    "",
    ...tables.flatMap((table) => [markdownTable(table), ""]),
  ].join("\n");
  return {
    ok: shortfalls.length === 0,
    figures: { seed, repetitions, cells: claimsCells.length, ...tenFigures(results), shortfalls },
    page,
  };
}

const notes = [
  "Every run is one with all defaults: split, patches of four to two edits whose rules the search measures, sealed test at the bar of its read. Worthless edits move single tasks or groups, but nothing on average, so that every better and every worse is false; of hostile edits 10% help and 60% harm.",
  "False shares are of the claims: a run that ends with the original claims nothing. Higher and lower speak of these test tasks alone; the last column holds them against the truth there.",
  "Looks: compare with 3, 5, 8, 12 and 20 trials, one after another; a false word at any of them counts. Ten runs: each starts from the same original, so that the true ones are alike and only the bar changes. A better under skewed effects comes mostly where the sample holds no task that loses, so its sentence gives a bound on how many could.",
  ...leftOut,
  "A rate falls short when the exact one-sided binomial p against its bar, times the number of bars, is below 1%; the ratio of powers when it is missed by more than 3 standard errors.",
];
