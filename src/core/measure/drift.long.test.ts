import { join } from "node:path";
import { type DriftResult, planDrift } from "../../../test/support/drift/cells.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { held, markdownTable } from "../../../test/support/gate-results.ts";
import { fallsShort } from "../../../test/support/rate-bar.ts";
import { runWorkers } from "../../../test/support/run-workers.ts";

const claim =
  "Provider drift isn't mistaken for a better or worse skill in any claim, and a shift of ten points in the middle of a comparison is noticed.";

longTest(claim, drift, ["--runs", "8"]);

const noticed = 0.8;
const saidWithout = 0.05;

async function drift({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const runs = numberOption(args, "runs", short ? 25 : 1000);
  const workers = numberOption(args, "workers", 2);
  const driftCells = planDrift(short);
  log(`${driftCells.length} cells, ${runs} claims each, seed ${seed}; two texts that behave alike`);
  log("left out: a provider that moves for some tasks only, rate limits, real models");
  const lines = await runWorkers<DriftResult>(
    join(import.meta.dirname, "../../../test/support/drift/worker.ts"),
    Array.from({ length: workers }, (_, worker) => [worker, workers, seed, runs, short ? 1 : 0]),
  );
  const results = driftCells.map(
    (_, cell) => lines[cell % workers]?.[Math.floor(cell / workers)] as DriftResult,
  );
  const shortfalls = results.flatMap((result) => shortfallsOf(result, 2 * results.length));
  const table = tableOf(results);
  for (const row of [table.head, ...table.rows])
    log(row.map((text, at) => text.padEnd(at === 0 ? 38 : 10)).join(""));
  for (const shortfall of shortfalls) log(`SHORT: ${shortfall}`);
  const all = results.reduce((sum, one) => sum + one.better + one.worse, 0);
  const middle = results.find(isMiddle);
  return {
    ok: shortfalls.length === 0,
    figures: {
      seed,
      cells: results.length,
      runs,
      falseVerdicts: all / (results.length * runs),
      noticedInTheMiddle: (middle?.noticed ?? 0) / runs,
      shortfalls,
    },
    page: section(table, shortfalls, runs),
  };
}

const isMiddle = ({ cell }: DriftResult): boolean =>
  cell.claim === "compare" && cell.shape === "step" && cell.points === 10;

function shortfallsOf(result: DriftResult, cells: number): readonly string[] {
  const { cell, runs, alpha } = result;
  const name = nameOf(result);
  const word = (said: "better" | "worse") =>
    fallsShort({ hits: result[said], trials: runs }, { most: alpha }, cells)
      ? [`${name}: "${said}" in ${share(result[said], runs)}, and ${(100 * alpha).toFixed(1)}% are allowed`]
      : [];
  const seen = { hits: result.noticed, trials: runs };
  return [
    ...word("better"),
    ...word("worse"),
    ...(cell.points === 0 && fallsShort(seen, { most: saidWithout }, cells)
      ? [`${name}: drift said in ${share(result.noticed, runs)} without any`]
      : []),
    ...(isMiddle(result) && fallsShort(seen, { least: noticed }, 1)
      ? [`${name}: noticed in ${share(result.noticed, runs)}, and ${100 * noticed}% are asked for`]
      : []),
  ];
}

const nameOf = ({ cell: { claim: what, tasks, trials, shape, points } }: DriftResult): string =>
  `${what} ${tasks} × ${trials}, ${points === 0 ? "no drift" : `${shape} of ${points}`}`;

const share = (hits: number, runs: number): string => `${((100 * hits) / runs).toFixed(1)}%`;

function tableOf(results: readonly DriftResult[]) {
  return {
    title: "False verdicts while the provider moves, and how often the move is said",
    head: ["claim", "better", "worse", "allowed", "noticed"],
    rows: results.map((result) => [
      nameOf(result),
      share(result.better, result.runs),
      share(result.worse, result.runs),
      `${(100 * result.alpha).toFixed(1)}%`,
      share(result.noticed, result.runs),
    ]),
  };
}

function section(table: ReturnType<typeof tableOf>, shortfalls: readonly string[], runs: number): string {
  return [
    `${claim} ${runs} claims a cell.`,
    "",
    held(shortfalls),
    "",
    "- The stages of the program roll the claims; only the model is simulated: task difficulty is logit-normal with mean 0.7 and flip rate 0.2, time is the number of the call, and eight calls may overtake one another.",
    "- `sealed-after`: the provider moves between the run's first measurement of the original and its sealed test.",
    "- Left out: a provider that moves for some tasks only, rate limits, real models.",
    "",
    markdownTable(table),
  ].join("\n");
}
