import { join } from "node:path";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { claimShortfalls } from "../../../test/support/gate/gate-checks.ts";
import { type JobResult, planJobs } from "../../../test/support/gate/gate-jobs.ts";
import { held, markdownTable, plotData } from "../../../test/support/gate-results.ts";
import { type Table, alignedTable } from "../../../test/support/aligned-table.ts";
import { gateTables } from "../../../test/support/gate-tables.ts";
import { runWorkers } from "../../../test/support/run-workers.ts";

const claim = "A claim is wrong no more often than it states, and the exact stop changes no decision.";

longTest(claim, gate, ["--decisions", "80"]);

async function gate({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const workers = numberOption(args, "workers", 1);
  const decisions = numberOption(args, "decisions", short ? 300 : 20_000);
  const jobs = planJobs(decisions);
  log(`${jobs.length} cells with seed ${seed} (--seed <number>, --decisions <number>, --workers 2)`);
  const results = await runCells(jobs.length, { workers, seed, decisions, log });
  const tables = gateTables(results);
  for (const table of tables) for (const line of alignedTable(table)) log(line);
  const shortfalls = results.flatMap(claimShortfalls);
  for (const shortfall of shortfalls) log(`SHORT: ${shortfall}`);
  return {
    ok: shortfalls.length === 0,
    figures: { seed, cells: jobs.length, ...figures(results), shortfalls },
    page: section(results, tables, shortfalls, short),
  };
}

async function runCells(
  count: number,
  {
    workers,
    seed,
    decisions,
    log,
  }: { workers: number; seed: number; decisions: number; log: (line: string) => void },
): Promise<JobResult[]> {
  let done = 0;
  const lines = await runWorkers<JobResult>(
    join(import.meta.dirname, "../../../test/support/gate/gate-worker.ts"),
    Array.from({ length: workers }, (_, worker) => [worker, workers, seed, decisions, count]),
    () => {
      done += 1;
      if (done % 50 === 0) log(`${done} of ${count} cells`);
    },
  );
  // back into the order of the plan: cell i was line ⌊i/w⌋ of worker i mod w
  return Array.from(
    { length: count },
    (_, cell) => lines[cell % workers]?.[Math.floor(cell / workers)] as JobResult,
  );
}

function figures(results: readonly JobResult[]) {
  const claims = results.filter(({ result }) => !result.refused);
  const nulls = claims.filter(({ cell }) => cell.effect === 0);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    decisions: sum(claims.map(({ cell }) => cell.decisions)),
    worstFalseAcceptRate: Math.max(...nulls.map(({ result }) => result.accepted)),
    changedByExactStop: sum(claims.map(({ result }) => result.changed)),
  };
}

function section(
  results: readonly JobResult[],
  tables: readonly Table[],
  shortfalls: readonly string[],
  short: boolean,
): string {
  return [
    `${claim}${short ? " Short form with wider errors." : ""}`,
    "",
    held(shortfalls),
    "",
    ...notes,
    "",
    ...tables.flatMap((table) => [markdownTable(table), ""]),
    "<details><summary>Every cell, for plots</summary>",
    "",
    "```csv",
    plotData(results),
    "```",
    "",
    "</details>",
  ].join("\n");
}

const notes = [
  "- Claims: task difficulty is logit-normal with mean 0.5 and flip rate 0.2; every candidate shifts all log odds alike, or half of them up and half down by 2. The incumbent's arm is rolled first; the candidate's order is the fixed one of `orderForStop`.",
];
