import { resolveSettings } from "../../../src/config/resolve/resolve.ts";
import { firstBar } from "../../../src/core/gate/claim/account.ts";
import { mostAgain } from "../../../src/core/measure/measure-again.ts";
import { claimedTasks, isShared, shareTasks } from "../../../src/core/tasks/few-tasks.ts";
import { splitTasks } from "../../../src/core/tasks/split.ts";
import { claimOn, countProposals, searchFor, sealedPlan, taskFile } from "../edit-run.ts";
import { editWorld } from "../edit-world.ts";
import type { Counts } from "../share-repetitions.ts";
import { type DefaultsCell, mildWorld } from "./cells.ts";

/** Everything about a run that is known before it begins; found out once for each cell. */
export function planRun(cell: DefaultsCell): ReturnType<typeof makePlan> {
  const plan = plans.get(cell) ?? makePlan(cell);
  plans.set(cell, plan);
  return plan;
}

const plans = new Map<DefaultsCell, ReturnType<typeof makePlan>>();

async function makePlan({ tasks, effort }: DefaultsCell) {
  const file = taskFile(tasks, 1, "task");
  const splits = shareTasks(file) ?? splitTasks(file, { seed: 42 }).splits;
  const settings = await resolveSettings(
    { effort, gate: "rules" },
    { train: splits.train.length, val: splits.val.length, shared: isShared(splits) },
  );
  const bar = { share: firstBar(1), worse: firstBar(1) };
  const claimed = claimedTasks(splits);
  const sealed = sealedPlan(claimed, settings, firstBar(settings.sealedAlpha));
  return { splits, claimed, settings, bar, sealed, proposals: countProposals(splits, settings) };
}

/** One person's file, and what a run gives them. */
export async function runOnce(cell: DefaultsCell, repetition: number, seed: number): Promise<Counts> {
  const { splits, claimed, settings, bar, sealed } = await planRun(cell);
  const name = [seed, repetition, cell.tasks, cell.effort];
  const world = editWorld(mildWorld, cell.tasks, ...name);
  const { final, rollouts } = searchFor(world, { settings, splits, name });
  const searched = rollouts + settings.epochs * splits.train.length * settings.attempts;
  const gain = final.score - world.original.score;
  const isClaimed = final !== world.original && sealed.limits.possible;
  const { word, pairs } = isClaimed
    ? claimOn(world, {
        before: world.original,
        after: final,
        tasks: claimed,
        trials: sealed.trials,
        bar,
      })
    : { word: "not-proven", pairs: [] };
  const tested = pairs.reduce(
    (sum, { incumbent, candidate }) => sum + incumbent.length + candidate.length,
    0,
  );
  // the original once more, to see whether the provider moved
  const again = isClaimed ? Math.min(splits.val.length, mostAgain) : 0;
  const spent = searched + tested + again;
  // few tasks that all served the search are shown higher at most
  const isHigher = word === "better" || word === "higher";
  const [isGain, isBetter] = [gain > nothing, word === "better" && !isShared(splits)];
  return {
    runs: 1,
    gains: isGain ? 1 : 0,
    found: isGain && isBetter ? 1 : 0,
    better: isBetter ? 1 : 0,
    falseBetter: isBetter && !isGain ? 1 : 0,
    named: isHigher ? 1 : 0,
    gain: 100 * gain,
    gainSquares: (100 * gain) ** 2,
    rollouts: spent,
    rolloutSquares: spent ** 2,
    sealed: tested,
  };
}

/** An edit that moves the truth by less than the solver's tolerance moved nothing. */
const nothing = 1e-4;
