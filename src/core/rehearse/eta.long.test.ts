import { join } from "node:path";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { runWorkers } from "../../../test/support/run-workers.ts";
import type { EtaReport } from "../../../test/support/eta/eta-run.ts";
import { knownShapes } from "../../../test/support/eta/eta-shapes.ts";
import { fallsShort } from "../../../test/support/rate-bar.ts";

const claim = "After 20% of a run, the median error of the time left is at most a factor of 1.5.";

longTest(claim, eta, ["--every", "3"]);

type Listed = EtaReport & { readonly isDrawn: boolean };

const bar = 1.5;

async function eta({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const runs = numberOption(args, "runs", short ? 1 : 3);
  const every = numberOption(args, "every", 1);
  const seed = numberOption(args, "seed", 91_000);
  log(
    `${runs} × ${2 * knownShapes.length} runs on a clock that jumps, every ${every}. of them; seed ${seed}`,
  );
  log("known: shapes that the estimate was made with, under other seeds; drawn: shapes that nobody chose.");
  log("wrong by: the larger of said and true over the smaller, both with a hundredth of the run added;");
  log("asked at every hundredth of the run from 20% on.");
  log(
    "What the world leaves out: models are scripted, in this process; no call fails and none is throttled;",
  );
  log("latencies are log-normal and independent; no other process uses the machine.");
  const script = join(import.meta.dirname, "../../../test/support/eta/worker.ts");
  const lines = await runWorkers<Listed>(
    script,
    [0, every].map((first) => [first, 2 * every, runs, seed]),
  );
  const reports = lines.flat();
  log("");
  log("median   90%   worst  at 5%   minutes  results  shape");
  for (const report of reports.toSorted((a, b) => Number(a.isDrawn) - Number(b.isDrawn))) {
    const errors = errorsOf(report);
    const early = wrongBy(report, 5);
    log(
      `${cell(quantile(errors, 0.5))}  ${cell(quantile(errors, 0.9))}  ${cell(quantile(errors, 1))}  ${cell(early)}  ${(report.ms / 60_000).toFixed(1).padStart(7)}  ${String(report.results).padStart(7)}  ${report.isDrawn ? "drawn: " : "known: "}${report.shape}`,
    );
  }
  const pooled = [false, true].map((isDrawn) => {
    const own = reports.filter((report) => report.isDrawn === isDrawn);
    const errors = own.flatMap(errorsOf);
    const medians = own.map((report) => quantile(errorsOf(report), 0.5));
    return {
      shapes: isDrawn ? "drawn" : "known",
      runs: own.length,
      median: round(quantile(errors, 0.5)),
      ninety: round(quantile(errors, 0.9)),
      worst: round(quantile(errors, 1)),
      early: round(
        quantile(
          own.map((report) => wrongBy(report, 5)),
          0.5,
        ),
      ),
      good: medians.filter((median) => median <= bar).length,
    };
  });
  log("");
  for (const { shapes, runs: count, median, ninety, worst, early, good } of pooled)
    log(
      `${shapes}: in the middle wrong by ${median}, 90% of the time by at most ${ninety}, at worst by ${worst}; at 5% of the run by ${early}; ${good} of ${count} runs have a median of at most ${bar}`,
    );
  // half of the runs are to be within the bar
  const isShort = pooled.some(({ good, runs: trials }) =>
    fallsShort({ hits: good, trials }, { least: 0.5 }, pooled.length),
  );
  return { ok: !isShort, figures: { seed, pooled } };
}

function wrongBy({ ms, told }: EtaReport, percent: number): number {
  const { said, left } = told.find((one) => one.percent === percent) ?? { said: null, left: 0 };
  if (said === null) return Number.POSITIVE_INFINITY;
  const [one, other] = [said + ms / 100, left + ms / 100];
  return Math.max(one / other, other / one);
}

const errorsOf = (report: EtaReport): readonly number[] =>
  report.told.filter(({ percent }) => percent >= 20).map(({ percent }) => wrongBy(report, percent));

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? Number.POSITIVE_INFINITY;
}

const round = (value: number): number => Math.round(100 * value) / 100;
const cell = (value: number): string => value.toFixed(2).padStart(6);
