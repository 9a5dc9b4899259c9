import { join } from "node:path";
import { hashText } from "../canonical.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { runWorkers } from "../../../test/support/run-workers.ts";
import type { SeedReport } from "../../../test/support/simulation/simulation-worker.ts";

const claim =
  "Crashes, lost writes, faults and outages never break the books: one result per key, no score without one, spend = Σ ledger, and the run ends.";

longTest(claim, simulation, ["--seeds", "20"]);

const repeat = 10;

async function simulation({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 200 : 10_000);
  const first = numberOption(args, "first", 1);
  const last = first + seeds - 1;
  log(`seeds ${first} to ${last}; look at one with: npm run -s proof simulation -- --seeds 1 --first <seed>`);
  let done = 0;
  const onLine = () => {
    done += 1;
    if (done % 1000 === 0) log(`${done} seeds`);
  };
  const lines = await runWorkers<SeedReport>(
    join(import.meta.dirname, "../../../test/support/simulation/simulation-worker.ts"),
    [
      [first, 2, last, repeat],
      [first + 1, 2, last, repeat],
    ],
    onLine,
  );
  const reports = lines.flat().toSorted((a, b) => a.seed - b.seed);
  const bad = reports.filter(({ violations }) => violations.length > 0);
  for (const { seed, violations } of bad.slice(0, 20)) {
    for (const violation of new Set(violations)) log(`VIOLATION with seed ${seed}: ${violation}`);
  }
  const sum = (count: (report: SeedReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const figures = {
    seeds: reports.length,
    first,
    violations: sum(({ violations }) => violations.length),
    executions: sum(({ executions }) => executions),
    crashes: sum(({ crashes }) => crashes),
    orderlyStops: sum(({ stops }) => stops),
    calls: sum(({ calls }) => calls),
    scores: sum(({ scored }) => scored),
    virtualHours: Math.round(sum(({ virtualMs }) => virtualMs) / 360_000) / 10,
    // finished with results missing, each marked as such: their decisions are not compared
    incompleteSeeds: reports.filter(({ pending }) => pending > 0).length,
    repeatedSeeds: reports.filter(({ isRepeated }) => isRepeated).length,
    maxExecutions: Math.max(0, ...reports.map(({ executions }) => executions)),
    history: hashText(reports.map(({ hash }) => hash).join("\n")).slice(0, 16),
  };
  log(
    `${figures.executions} executions in ${figures.virtualHours} h of virtual time, ended by ${figures.crashes} crashes, ${figures.orderlyStops} orderly stops and ${seeds - bad.length} good ends; ${figures.calls} calls, ${figures.scores} scores looked up`,
  );
  log(
    `${figures.repeatedSeeds} seeds were run twice; the hash of all histories is ${figures.history}; violations: ${figures.violations}`,
  );
  return { ok: reports.length === seeds && figures.violations === 0, figures };
}
