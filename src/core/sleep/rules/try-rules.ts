import type { Context } from "../../context.ts";
import type { Place } from "../../place.ts";
import { isFinished } from "../../gate/claim/claim-pair.ts";
import { lostTasks } from "../../gate/regression-check.ts";
import type { Skill } from "../../skill/skill.ts";
import { checkPendingShare } from "../../measure/pending-share.ts";
import type { Rolled } from "../../stages/rollout.ts";
import { timed } from "../../stages/timed.ts";
import { rollSideBySide } from "../../measure/side-by-side.ts";
import type { Trials } from "../../measure/trials.ts";
import type { Purpose } from "../../work/unit.ts";
import {
  type TaskTrials,
  type Tally,
  countNight,
  countsText,
  eValue,
  freshTasks,
  provenAt,
  tallyOf,
  verdictOn,
  withNight,
} from "./evidence.ts";
import type { MinedTask } from "../mine/mined-task.ts";
import type { Rule } from "./rule.ts";

export interface TryInput {
  readonly night: string;
  readonly step: number;
  readonly incumbent: Skill;
  readonly candidates: readonly Candidate[];
  readonly val: readonly MinedTask[];
  readonly regression: readonly MinedTask[];
  readonly trials: number;
}

export interface Candidate {
  readonly rule: Rule;
  /** The incumbent with this rule and nothing else. */
  readonly skill: Skill;
}

/** What one skill did in one trial of some tasks. */
export interface Arm {
  readonly split: "train" | "val" | "regression";
  /** `incumbent`, `original`, `together` or the id of a rule. */
  readonly name: string;
  readonly trial: number;
  readonly rolled: readonly Rolled[];
}

export interface TriedRules {
  /** In the order of the candidates. */
  readonly rules: readonly Rule[];
  readonly arms: readonly Arm[];
}

/**
 * Each rule against the incumbent on the val tasks that are fresh to it, and on the standing tasks where the night could
 * prove it. All at once; the incumbent's draws are shared, since no rule was chosen by them.
 */
export async function tryRules(input: TryInput, context: Context): Promise<TriedRules> {
  const plans = input.candidates.map((candidate) => {
    const fresh = freshTasks(candidate.rule, input.val);
    return { ...candidate, fresh, standing: isProvable(candidate.rule, fresh) ? input.regression : [] };
  });
  const among = (pick: (plan: (typeof plans)[number]) => readonly MinedTask[], all: readonly MinedTask[]) =>
    all.filter((task) => plans.some((plan) => pick(plan).includes(task)));
  const val = among(({ fresh }) => fresh, input.val);
  const standing = among((plan) => plan.standing, input.regression);
  const rollouts = [...plans.flatMap((plan) => [...plan.fresh, ...plan.standing]), ...val, ...standing];
  const armsOn = (pick: (plan: (typeof plans)[number]) => readonly MinedTask[]) =>
    plans.map((plan) => ({ skill: plan.skill, tasks: pick(plan), context }));
  const [onVal, onStanding] = await timed(
    "evaluate",
    input.step,
    rollouts.length * input.trials,
    () =>
      Promise.all([
        rollMined(
          [{ skill: input.incumbent, tasks: val, context }, ...armsOn(({ fresh }) => fresh)],
          "gate",
          input,
        ),
        rollMined(
          [{ skill: input.incumbent, tasks: standing, context }, ...armsOn((plan) => plan.standing)],
          "regression",
          input,
        ),
      ]),
    context,
  );
  const [before, ...gates] = onVal as readonly [MinedTrials, ...MinedTrials[]];
  const [beforeStanding, ...helds] = onStanding as readonly [MinedTrials, ...MinedTrials[]];
  const after = plans.flatMap((_, index) => [gates[index], helds[index]].filter((one) => one !== undefined));
  checkPendingShare(
    [before, beforeStanding, ...after].flatMap((tasks) => tasks.trials.rolled.flat()),
    "evaluate",
    context,
  );
  const rules = plans.map(({ rule }, index) => {
    const [gate, held] = [after[2 * index], after[2 * index + 1]];
    if (gate === undefined || held === undefined) return rule;
    const evidence = countNight(input.night, pairUp(before, gate));
    return decide(rule, withNight(rule, evidence), pairUp(beforeStanding, held));
  });
  const arms = plans.flatMap(({ rule }, index) => [
    ...armsOf(after[2 * index], "val", rule.id),
    ...armsOf(after[2 * index + 1], "regression", rule.id),
  ]);
  return {
    rules,
    arms: [
      ...armsOf(before, "val", "incumbent"),
      ...armsOf(beforeStanding, "regression", "incumbent"),
      ...arms,
    ],
  };
}

/** Whether a rule that won all these tasks would be proven. */
export function isProvable(rule: Rule, fresh: readonly MinedTask[]): boolean {
  const { wins, losses } = tallyOf(rule);
  return fresh.length > 0 && eValue(wins + fresh.length, losses) >= provenAt;
}

/** The trials of some tasks under one skill. */
export interface MinedTrials {
  readonly tasks: readonly MinedTask[];
  readonly trials: Trials;
}

/** One skill on some mined tasks, in the world that it lives in. */
export interface MinedArm {
  readonly skill: Skill;
  readonly tasks: readonly MinedTask[];
  readonly context: Context;
}

/**
 * Rolls mined tasks, all arms of a task next to each other; the share of missing results is for whoever sees all of them.
 * The night names the draws, so that no arm of another night is used.
 */
export async function rollMined(
  arms: readonly MinedArm[],
  purpose: Purpose,
  { night, step, trials }: Pick<TryInput, "night" | "step" | "trials">,
): Promise<readonly MinedTrials[]> {
  const place: Place = {
    role: "target",
    step,
    stage: purpose === "regression" ? "regression" : "evaluate",
  };
  const all = [...new Set(arms.flatMap(({ tasks }) => tasks))];
  const seed = arms[0]?.context.settings.seed ?? 0;
  const { arms: rolled } = await rollSideBySide(
    arms.map(({ skill, tasks, context }) => {
      const own = new Set(tasks.map(({ task }) => task));
      return { skill, draw: { purpose, claim: night }, context, takes: (task) => own.has(task) };
    }),
    { tasks: all.map(({ task }) => ({ task, split: "val" })), trials, place, seed },
  );
  return arms.map(({ tasks }, at) => {
    const { rolled: byTrial = [], scores = [] } = rolled[at] ?? {};
    return {
      tasks,
      trials: {
        scores: tasks.map((mined) => scores[all.indexOf(mined)] ?? []),
        // in the order of the arm's own tasks
        rolled: byTrial.map((trial) =>
          tasks.flatMap(({ task }) => trial.find((one) => one.task === task) ?? []),
        ),
      },
    };
  });
}

/** The trials of the same tasks in two arms, in the order of the second. */
export function pairUp(before: MinedTrials, after: MinedTrials): readonly TaskTrials[] {
  return after.tasks.map((mined, index) => ({
    task: mined.task.id,
    incumbent: before.trials.scores[before.tasks.indexOf(mined)] ?? [],
    candidate: after.trials.scores[index] ?? [],
  }));
}

export const armsOf = (tasks: MinedTrials | undefined, split: Arm["split"], name: string): readonly Arm[] =>
  tasks === undefined || tasks.tasks.length === 0
    ? []
    : tasks.trials.rolled.map((rolled, trial) => ({ split, name, trial, rolled }));

function decide(before: Rule, rule: Rule, standing: readonly TaskTrials[]): Rule {
  if (rule === before) {
    return rule.nights.length === 0 && rule.origin === "learned"
      ? { ...rule, reason: "not tested yet: no task of another conversation had all its results" }
      : rule;
  }
  const tally = tallyOf(rule);
  const verdict = verdictOn(tally);
  const problem = verdict === "proven" ? findRegression(standing) : undefined;
  if (verdict === "proven" && problem === undefined) {
    return { ...rule, status: "proven", reason: provenText(tally) };
  }
  if (rule.origin === "stated") {
    // what a person laid down is not for the gate to take back
    return {
      ...rule,
      status: "stated",
      reason: `stated by you, not proven: ${problem ?? countsText(tally)}`,
    };
  }
  if (problem !== undefined) return { ...rule, status: "open", reason: `held back: ${problem}` };
  return verdict === "rejected"
    ? { ...rule, status: "rejected", reason: `rejected by the gate: ${countsText(tally)}` }
    : verdict === "dropped"
      ? {
          ...rule,
          status: "dropped",
          reason: `no sign of an effect over ${tally.nights} nights: ${countsText(tally)}`,
        }
      : { ...rule, status: "open", reason: openText(tally) };
}

const provenText = (tally: Tally): string =>
  `proven: ${countsText(tally)}, e = ${eValue(tally.wins, tally.losses).toFixed(1)}`;

const openText = (tally: Tally): string =>
  `${tally.wins > tally.losses ? "promising, not proven" : "undecided"}: ${countsText(tally)}`;

/** A standing task that the rule loses, or that nobody knows of: proof must not come from an outage. */
function findRegression(standing: readonly TaskTrials[]): string | undefined {
  for (const { task, ...pair } of standing) {
    if (!isFinished(pair)) return `the standing task ${task} has no result tonight`;
    if (lostTasks([pair]).length > 0)
      return `the standing task ${task} was always passed and is now always failed`;
  }
  return undefined;
}
