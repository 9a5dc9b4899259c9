import { join } from "node:path";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { type PruneCase, type PruneReport, pruneSettings } from "./support/prune-run.ts";
import { runWorkers } from "../test/support/run-workers.ts";

export const claim =
  "On a skill with planted useless rules, pruning removes all of them in at least 90 % of the seeds and a useful one in at most 5 %.";

const [allGoal, usefulGoal] = [0.9, 0.05];
/** The size of val that the claim is about, and the noise. */
const claimed: readonly PruneCase[] = [
  { noise: 0.1, val: 80 },
  { noise: 0.2, val: 80 },
];
/** How it depends on the size. */
const others: readonly PruneCase[] = [24, 48, 120].map((val) => ({ noise: 0.2, val }));

export default async function prune({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 10 : 40);
  const first = numberOption(args, "first", 1);
  const { rules, rulesHeld, planted, trials, margin } = pruneSettings;
  log(
    `world: ${rules} kinds of parcels, the skill knows ${rulesHeld}; ${planted} more rules change nothing,`,
  );
  log("one of them in a protected appendix; a task passes as often with its rule as it fails without");
  log(`noise: how often two rollouts of one task differ; ${trials} trials, margin ${100 * margin} points`);
  log(
    `seeds ${first} to ${first + seeds - 1}; the target answers in process, everything else is the real run`,
  );
  log("");
  log(row("noise", "val", "all planted", "a useful one", "rollouts", "tokens saved", "true change"));
  const cases = short ? [...claimed, ...others.slice(0, 1)] : [...claimed, ...others];
  const found: CaseFigures[] = [];
  for (const one of cases) {
    const figures = await runCase(one, first, first + seeds - 1);
    found.push(figures);
    log(
      row(
        String(one.noise),
        String(one.val),
        percent(figures.allPlanted),
        percent(figures.anyUseful),
        String(figures.rollouts),
        String(figures.saved),
        `${figures.trueChange} points`,
      ),
    );
  }
  const isClaimed = ({ noise, val }: PruneCase) =>
    claimed.some((one) => one.noise === noise && one.val === val);
  const ok =
    found.filter(isClaimed).every(({ allPlanted }) => allPlanted >= allGoal) &&
    found.every(({ anyUseful }) => anyUseful <= usefulGoal);
  log("");
  log(`claimed for ${claimed[0]?.val} val tasks; with fewer, what is not shown stays in the skill`);
  return { ok, figures: { seeds, first, planted, margin, trials, cases: found.map((one) => ({ ...one })) } };
}

interface CaseFigures extends PruneCase {
  readonly allPlanted: number;
  readonly anyUseful: number;
  /** Means over the seeds. */
  readonly plantedRemoved: number;
  readonly rollouts: number;
  readonly saved: number;
  readonly trueChange: number;
}

async function runCase({ noise, val }: PruneCase, first: number, last: number): Promise<CaseFigures> {
  const reports = (
    await runWorkers<PruneReport>(join(import.meta.dirname, "support/prune-worker.ts"), [
      [noise, val, first, 2, last],
      [noise, val, first + 1, 2, last],
    ])
  ).flat();
  const mean = (pick: (report: PruneReport) => number) =>
    reports.reduce((sum, report) => sum + pick(report), 0) / reports.length;
  return {
    noise,
    val,
    allPlanted: round(
      mean(({ planted }) => Number(planted === pruneSettings.planted)),
      3,
    ),
    anyUseful: round(
      mean(({ useful }) => Number(useful > 0)),
      3,
    ),
    plantedRemoved: round(
      mean(({ planted }) => planted),
      2,
    ),
    rollouts: round(
      mean(({ rollouts }) => rollouts),
      0,
    ),
    saved: round(
      mean(({ saved }) => saved),
      0,
    ),
    trueChange: round(
      mean(({ trueChange }) => 100 * trueChange),
      2,
    ),
  };
}

const widths = [5, 5, 13, 14, 10, 14, 13];
const row = (...cells: readonly string[]): string =>
  cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(" ");
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const round = (value: number, digits: number): number => Number(value.toFixed(digits));
