import { join } from "node:path";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { runWorkers } from "../../../test/support/run-workers.ts";
import { type SearchGate, type SearchReport, worldSettings } from "../../../test/support/world/world-run.ts";

const claim =
  "With noise 0.2 and two of three edits useless or harmful, the gate of rules ends with a higher true score than strict at equal rollouts.";

longTest(claim, world, ["--seeds", "3", "--first", "3"]);

async function world({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 8 : 40);
  const first = numberOption(args, "first", 1);
  const last = first + seeds - 1;
  describeWorld(log);
  log(`seeds ${first} to ${last}, each with both gates`);
  const lines = await runWorkers<SearchReport>(
    join(import.meta.dirname, "../../../test/support/world/world-worker.ts"),
    [
      [first, 2, last],
      [first + 1, 2, last],
    ],
  );
  const reports = lines.flat();
  const of = (gate: SearchGate) =>
    reports.filter((report) => report.gate === gate).toSorted((a, b) => a.seed - b.seed);
  const [strict, rules] = [of("strict"), of("rules")];

  log("");
  log(
    row(
      "gate",
      "true before → after",
      "gain (sd; range)",
      "val rollouts",
      "accepts",
      "not better",
      "worse",
      "missed",
    ),
  );
  const figures = { strict: tabulate("strict", strict, log), rules: tabulate("rules", rules, log) };
  const ahead = rules.map((report, index) => 100 * (report.after - (strict[index]?.after ?? 0)));
  const difference = round(mean(ahead));
  const error = round(deviation(ahead) / Math.sqrt(ahead.length));
  const won = ahead.filter((points) => points > 1e-6).length;
  const lost = ahead.filter((points) => points < -1e-6).length;
  log("");
  log(
    `rules minus strict, seed by seed: ${signed(difference)} points (standard error ${error}); ahead on ${won} seeds, behind on ${lost}`,
  );
  log(
    "accepts: of the candidates judged; not better: accepted although true effect ≤ 0, of these worse: < 0;",
  );
  log("missed: truly better candidates that were not accepted, of all truly better ones");
  return {
    ok: difference > 0 && figures.rules.rollouts <= figures.strict.rollouts,
    figures: { seeds, first, ...figures, difference, standardError: error, ahead: won, behind: lost },
  };
}

function describeWorld(log: ProofOptions["log"]): void {
  const { rules, rulesHeld, passWith, passWithout, passHarmed, shares, sizes, epochs } = worldSettings;
  const { batchSize, editBudget } = worldSettings;
  const steps = epochs * Math.ceil(sizes.train / batchSize);
  const total = shares.useful + shares.useless + shares.harmful;
  const flips = (chance: number) => (2 * chance * (1 - chance)).toFixed(2);
  log(
    `world: ${rules} rules, the skill knows ${rulesHeld}; a task passes with chance ${passWith} when its rule is known,`,
  );
  log(
    `${passWithout} when not and ${passHarmed} when the skill misleads: a second rollout differs from the first with`,
  );
  log(`${flips(passWith)}, ${flips(passWithout)} and ${flips(passHarmed)}; every call is its own throw`);
  log(
    `proposals: ${shares.useful}/${total} useful, ${shares.useless}/${total} useless, ${shares.harmful}/${total} harmful (each misleads about two kinds); ${editBudget} edits per candidate`,
  );
  log(
    `${sizes.train} train and ${sizes.val} val tasks, ${steps} steps: at most ${steps + 1} × ${sizes.val} = ${(steps + 1) * sizes.val} rollouts on val for either gate`,
  );
  log(`true scores are computed on ${sizes.test} tasks that no run has seen`);
}

function tabulate(gate: SearchGate, reports: readonly SearchReport[], log: ProofOptions["log"]) {
  const gains = reports.map(({ before, after }) => 100 * (after - before));
  const sum = (count: (report: SearchReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const figures = {
    before: round(100 * mean(reports.map(({ before }) => before))),
    after: round(100 * mean(reports.map(({ after }) => after))),
    gain: round(mean(gains)),
    spread: round(deviation(gains)),
    worst: round(Math.min(...gains)),
    best: round(Math.max(...gains)),
    rollouts: sum(({ rollouts }) => rollouts),
    judged: sum(({ judged }) => judged),
    accepted: sum(({ accepted }) => accepted),
    falseAccepts: sum(({ falseAccepts }) => falseAccepts),
    worseAccepts: sum(({ worseAccepts }) => worseAccepts),
    better: sum(({ better }) => better),
    missed: sum(({ missed }) => missed),
    refused: sum(({ refused }) => refused),
  };
  const { before, after, gain, spread, worst, best, rollouts, judged, accepted } = figures;
  log(
    row(
      gate,
      `${before} → ${after}`,
      `${signed(gain)} (${spread}; ${signed(worst)} to ${signed(best)})`,
      String(rollouts),
      `${accepted} of ${judged}`,
      String(figures.falseAccepts),
      String(figures.worseAccepts),
      `${figures.missed} of ${figures.better}`,
    ),
  );
  return figures;
}

const widths = [6, 20, 28, 12, 14, 11, 6, 12];

const row = (...cells: readonly string[]): string =>
  cells.map((cell, column) => (column === 0 ? cell.padEnd(6) : cell.padStart(widths[column] ?? 0))).join(" ");

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / Math.max(values.length - 1, 1));
}

const round = (value: number): number => Math.round(value * 10) / 10;
const signed = (points: number): string => `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)}`;
