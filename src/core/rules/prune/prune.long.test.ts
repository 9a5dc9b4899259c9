import { longTest } from "../../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../../test/support/proof.ts";
import { type PruneCase, pruneSettings, runPruning } from "../../../../test/support/prune/prune-run.ts";
import { fallsShort } from "../../../../test/support/rate-bar.ts";
import { type SimulatedPruning, simulatePruning } from "../../../../test/support/prune/prune-simulation.ts";

const claim =
  "On a skill with planted useless rules, pruning removes all of them in at least 90% of seeds with 80 val tasks and in 40% with 24. It removes a useful rule in at most 5%, and also one of two duplicate rules. It needs half of the rollouts of version 0.1.0 at 80 val tasks.";

const usefulGoal = 0.05;

interface Goal extends PruneCase {
  /** One rule of the skill is there twice. */
  readonly repeats: boolean;
  /** Share of seeds in which all planted rules go. */
  readonly all: number;
  /** Mean rollouts: half of what version 0.1.0 took on the same world, measured on seeds 6001 to 6040. */
  readonly rollouts?: number;
}

const goals: readonly Goal[] = [
  { noise: 0.2, val: 24, repeats: false, all: 0.4 },
  { noise: 0.2, val: 80, repeats: false, all: 0.9, rollouts: 5131 / 2 },
  { noise: 0.1, val: 80, repeats: false, all: 0.9, rollouts: 3906 / 2 },
  { noise: 0.2, val: 48, repeats: false, all: 0.6 },
  { noise: 0.2, val: 80, repeats: true, all: 0.75 },
];

longTest(claim, prune, ["--seeds", "1"]);

async function prune({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 8 : 100);
  const first = numberOption(args, "first", 20_001);
  const { rules, rulesHeld, planted, margin } = pruneSettings;
  log(
    `world: ${rules} kinds of parcels, the skill knows ${rulesHeld}; ${planted} more rules change nothing;`,
  );
  log("a task passes as often with its rule as it fails without; noise: how often two rollouts of one task");
  log(
    `differ; margin ${100 * margin} points; seeds ${first} to ${first + seeds - 1}, dice instead of a target`,
  );
  log("");
  log(
    row("noise", "val", "repeat", "all planted", "a kind lost", "repeat found", "rollouts", "half of 0.1.0"),
  );
  const found: (Goal & Awaited<ReturnType<typeof runCase>>)[] = [];
  for (const goal of short ? goals.slice(0, 2) : goals) {
    const figures = await runCase(goal, first, seeds);
    found.push({ ...goal, ...figures });
    log(
      row(
        String(goal.noise),
        String(goal.val),
        goal.repeats ? "yes" : "no",
        percent(figures.allPlanted),
        percent(figures.anyLost),
        goal.repeats ? percent(figures.repeatFound) : "",
        String(Math.round(figures.meanRollouts)),
        goal.rollouts === undefined ? "" : String(Math.round(goal.rollouts)),
      ),
    );
  }
  const whole = await runPruning(first, { noise: 0.2, val: 24 });
  log("");
  log(
    `one real run, target in this process: ${whole.planted} of ${planted} planted rules removed, ${whole.useful} useful, ${whole.rollouts} rollouts`,
  );
  const cells = 2 * found.length;
  const isShort = ({
    all,
    allPlanted,
    anyLost,
    rollouts = Number.POSITIVE_INFINITY,
    meanRollouts,
    rolloutsError,
  }: (typeof found)[number]) =>
    fallsShort({ hits: Math.round(allPlanted * seeds), trials: seeds }, { least: all }, cells) ||
    fallsShort({ hits: Math.round(anyLost * seeds), trials: seeds }, { most: usefulGoal }, cells) ||
    meanRollouts - 3 * rolloutsError > rollouts;
  const ok = whole.useful === 0 && !found.some(isShort);
  return {
    ok,
    figures: { seeds, first, planted, margin, cases: found.map((one) => ({ ...one })), whole: { ...whole } },
  };
}

async function runCase({ noise, val, repeats }: Goal, first: number, seeds: number) {
  const all: SimulatedPruning[] = [];
  for (let seed = first; seed < first + seeds; seed += 1)
    all.push(await simulatePruning(seed, { noise, val }, repeats));
  const mean = (pick: (one: SimulatedPruning) => number) =>
    all.reduce((sum, one) => sum + pick(one), 0) / all.length;
  const meanRollouts = mean(({ rollouts }) => rollouts);
  const squares = all.reduce((sum, { rollouts }) => sum + (rollouts - meanRollouts) ** 2, 0);
  return {
    allPlanted: mean(({ planted }) => Number(planted === pruneSettings.planted)),
    anyLost: mean(({ lost }) => Number(lost > 0)),
    repeatFound: mean(({ repeat }) => Number(repeat)),
    meanRollouts,
    rolloutsError: Math.sqrt(squares / Math.max(all.length - 1, 1) / all.length),
  };
}

const widths = [5, 5, 7, 13, 13, 14, 10, 15];
const row = (...cells: readonly string[]): string =>
  cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(" ");
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
