import { join } from "node:path";
import type { Range } from "../../core/rehearse/range.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import {
  type PlanCell,
  type PlanReport,
  type Stated,
  planCells,
} from "../../../test/support/plan/plan-case.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { fallsShort } from "../../../test/support/rate-bar.ts";
import { runWorkers } from "../../../test/support/run-workers.ts";

const claim =
  "A run's cost is in the range that `plan` states in at least 95% of runs and 85% of every verb's, chat and agent. Upper/lower is at most 3 once the journal knows the models (6 for prune), and 6 before. The time is in its range in at least 80%.";

const bars = { pooled: 0.95, cell: 0.85, time: 0.8, warm: 3, cold: 6 } as const;

longTest(claim, plan, ["--runs", "1"]);

async function plan({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const runs = numberOption(args, "runs", short ? 2 : 20);
  const seed = numberOption(args, "seed", 12_000);
  log(
    `${runs} runs of each of ${planCells.length} cells, with drawn worlds, models, sizes and settings; seed ${seed}`,
  );
  log(
    "cold: the journal knows nothing of the models; warm: after one short training of theirs on other tasks",
  );
  log(
    "What the world leaves out: targets and optimizers are scripted, in this process; latencies are drawn for each",
  );
  log(
    "case and pass on a clock that jumps; no call fails; an agent's rollouts vary by ±40% around its own mean, which",
  );
  log("lies within what is guessed of unknown agents. Nights have a proof of their own: night-price.");
  const lines = await runWorkers<PlanReport>(
    join(import.meta.dirname, "../../../test/support/plan/worker.ts"),
    [
      [0, 2, runs, seed],
      [1, 2, runs, seed],
    ],
  );
  const reports = lines.flat();
  log(
    "A pruning is as wide warm as cold: how many trials its test takes, up to forty, shows only on the way.",
  );
  log("");
  log("cell            when   in range   calls   time    upper/lower   cost / stated range, each run");
  const rows = planCells.flatMap((cell) =>
    (["cold", "warm"] as const).map((when) => tally(cell, when, reports)),
  );
  for (const row of rows) log(lineOf(row, reports));
  const pooled = (["cold", "warm"] as const).map((when) => {
    const own = rows.filter((row) => row.when === when);
    const sum = (pick: (row: Row) => number) => own.reduce((all, row) => all + pick(row), 0);
    const trials = sum((row) => row.trials);
    return {
      when,
      trials,
      price: sum((row) => row.price),
      time: sum((row) => row.time),
      widest: Math.max(...own.filter((row) => !row.cell.startsWith("prune")).map((row) => row.widest)),
      prune: Math.max(...own.filter((row) => row.cell.startsWith("prune")).map((row) => row.widest)),
    };
  });
  log("");
  for (const { when, trials, price, time, widest, prune } of pooled)
    log(
      `${when}: cost in range in ${price} of ${trials} runs, time in ${time}; upper/lower at most ${widest} (${bars[when]} allowed), of prune ${prune}`,
    );
  const problems = [
    ...pooled.flatMap(({ when, trials, price, time, widest, prune }) => [
      ...(fallsShort({ hits: price, trials }, { least: bars.pooled }, 2) ? [`${when}: cost, pooled`] : []),
      ...(fallsShort({ hits: time, trials }, { least: bars.time }, 2) ? [`${when}: time, pooled`] : []),
      ...(widest > bars[when] ? [`${when}: a range is ${widest} wide`] : []),
      ...(prune > bars.cold ? [`${when}: a range of prune is ${prune} wide`] : []),
    ]),
    ...rows.flatMap(({ cell, when, trials, price }) =>
      fallsShort({ hits: price, trials }, { least: bars.cell }, rows.length)
        ? [`${when}: cost of ${cell}`]
        : [],
    ),
    ...reports.flatMap(({ cell, cold, warm }) =>
      cold.guessed > 0 && warm.guessed === 0 ? [] : [`${cell}: guesses are not named`],
    ),
  ];
  for (const problem of problems) log(`NOT: ${problem}`);
  return {
    ok: reports.length === runs * planCells.length && problems.length === 0,
    figures: {
      runs: reports.length,
      seed,
      pooled: pooled.map((one) => ({ ...one })),
      cells: Object.fromEntries(rows.map((row) => [`${row.cell} ${row.when}`, `${row.price}/${row.trials}`])),
      problems,
    },
  };
}

interface Row {
  readonly cell: PlanCell;
  readonly when: "cold" | "warm";
  readonly trials: number;
  readonly price: number;
  readonly calls: number;
  readonly time: number;
  readonly widest: number;
}

function tally(cell: PlanCell, when: "cold" | "warm", reports: readonly PlanReport[]): Row {
  const own = reports.filter((report) => report.cell === cell);
  const held = (value: (report: PlanReport) => number, range: (stated: Stated) => Range) =>
    own.filter((report) => isWithin(value(report), range(report[when]))).length;
  return {
    cell,
    when,
    trials: own.length,
    price: held(
      ({ nanoUsd }) => nanoUsd,
      ({ price }) => price,
    ),
    calls: held(
      ({ calls }) => calls,
      ({ calls }) => calls,
    ),
    time: held(
      ({ ms }) => ms,
      ({ time }) => time,
    ),
    widest: round(Math.max(...own.map((report) => ratio(report[when].price)))),
  };
}

function lineOf(
  { cell, when, trials, price, calls, time, widest }: Row,
  reports: readonly PlanReport[],
): string {
  const each = reports
    .filter((report) => report.cell === cell)
    .map((report) => {
      const { low, high } = report[when].price;
      const mark = report.nanoUsd < low ? "<" : report.nanoUsd > high ? ">" : "";
      return `${mark}${((report.nanoUsd - low) / Math.max(high - low, 1)).toFixed(2)}`;
    });
  const count = (hits: number) => `${hits}/${trials}`.padEnd(8);
  return `${cell.padEnd(15)} ${when}   ${count(price)}   ${count(calls)}${count(time)}${String(widest).padEnd(12)}  ${each.join(" ")}`;
}

const isWithin = (value: number, { low, high }: Range): boolean => low <= value && value <= high;
const ratio = ({ low, high }: Range): number => high / Math.max(low, 1);
const round = (value: number): number => Math.round(value * 100) / 100;
