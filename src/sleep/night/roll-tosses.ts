import type { Context } from "../../core/context.ts";
import { lostTasks } from "../../core/gate/regression-check.ts";
import { gateScoreOf } from "../../core/measure/evaluate.ts";
import { checkPendingShare } from "../../core/measure/pending-share.ts";
import { seededRandom } from "../../core/random.ts";
import { type Rolled, type Roll, rollAll } from "../../core/stages/rollout.ts";
import { timed } from "../../core/stages/timed.ts";
import { taskHash } from "../../core/tasks/task-hash.ts";
import { wordingOf } from "../../core/tasks/wordings.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import { talkTask } from "../mine/recorded-talk.ts";
import type { NightRoll } from "./night-types.ts";
import { applyRules } from "../../core/rules/learned/apply-rules.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { type Toggle, type TossPlan, mayCount } from "../../core/rules/evidence/plan-tosses.ts";
import {
  type TaskEvidence,
  type Toss,
  armsOfTosses,
  tossChance,
  tossCoins,
} from "../../core/rules/evidence/toss.ts";

export interface TossInput extends TossPlan {
  readonly night: string;
  readonly step: number;
  readonly document: Pick<Document, "skill">;
  /** Earlier tasks that must not be lost. */
  readonly standing: readonly MinedTask[];
  readonly tosses: number;
}

export interface Tossed {
  /** Tonight's evidence, by the id of a wording. */
  readonly evidence: ReadonlyMap<string, readonly TaskEvidence[]>;
  /** Ids of wordings that always fail a regression task that always passes without them, or that have missing results. */
  readonly unsafe: ReadonlySet<string>;
  readonly rolls: readonly NightRoll[];
}

/**
 * Rolls each task in pairs: a coin for each wording decides which of the two texts contains it. Both run next to each other,
 * in random order, with the same neutral wording of the task; the next pair uses another. A task with a missing result is
 * left out and stays fresh.
 */
export async function rollTosses(input: TossInput, context: Context): Promise<Tossed> {
  const { toggles, tosses, step } = input;
  const standing = input.canProve ? input.standing.filter((mined) => !input.tasks.includes(mined)) : [];
  const pairs = [...input.tasks, ...standing].flatMap((mined) =>
    Array.from({ length: toggles.length === 0 ? 0 : tosses }, (_, trial) =>
      pairOf(mined, trial, input, context),
    ),
  );
  const rolled = await timed(
    "evaluate",
    step,
    2 * pairs.length,
    () => Promise.all(rollAll(pairs.flatMap((pair) => rollsOf(pair, input, context)))),
    context,
  );
  checkPendingShare(rolled, "evaluate", context);
  const scored = pairs.map((pair, at): TossedPair => {
    const [one, two] = [rolled[2 * at], rolled[2 * at + 1]] as [Rolled, Rolled];
    return { ...pair, results: pair.isTurnedFirst ? [two, one] : [one, two] };
  });
  const byTask = Map.groupBy(scored, ({ mined }) => mined);
  const found = new Map(toggles.map(({ id }) => [id, [] as TaskEvidence[]]));
  const unsafe = new Set<string>();
  for (const [mined, own] of byTask)
    for (const toggle of toggles) {
      const seen = tossesOf(toggle, own, context);
      const isOwn = toggle.habit.has(mined.task.id);
      if (standing.includes(mined) && !isSafe(seen)) unsafe.add(toggle.id);
      if (seen !== undefined && mayCount(toggle, mined))
        found.get(toggle.id)?.push({
          task: mined.task.id,
          night: input.night,
          isOwn,
          ...(talkOf(mined, context) === undefined ? {} : { isTalk: true }),
          tosses: seen,
        });
    }
  const rolls = scored.flatMap(({ mined, trial, first, second, results }) =>
    [first, second].map((holds, at) => ({
      split: standing.includes(mined) ? ("regression" as const) : ("val" as const),
      trial,
      holds: holds.map(({ id }) => id),
      rolled: results[at] as Rolled,
    })),
  );
  return { evidence: found, unsafe, rolls };
}

interface Pair {
  readonly mined: MinedTask;
  readonly trial: number;
  /** The wordings in the first text, by coins; the second has the others. */
  readonly first: readonly Toggle[];
  readonly second: readonly Toggle[];
  /** The second runs before the first. */
  readonly isTurnedFirst: boolean;
}

interface TossedPair extends Pair {
  readonly results: readonly [Rolled, Rolled];
}

function pairOf(
  mined: MinedTask,
  trial: number,
  { night, toggles, tosses }: TossInput,
  { settings: { seed } }: Context,
): Pair {
  const task = mined.task.id;
  const first = toggles.filter(
    ({ id }) => tossCoins({ seed, night, task, wish: id }, tosses)[trial] === true,
  );
  return {
    mined,
    trial,
    first,
    second: toggles.filter((toggle) => !first.includes(toggle)),
    isTurnedFirst: seededRandom("toss-order", seed, night, task, trial)() < 0.5,
  };
}

function rollsOf(pair: Pair, { night, step, document }: TossInput, context: Context): readonly Roll[] {
  const talk = talkOf(pair.mined, context);
  const hash = taskHash(pair.mined.task);
  const texts = pair.isTurnedFirst ? [pair.second, pair.first] : [pair.first, pair.second];
  return texts.map((toggles) => ({
    task: talk ?? pair.mined.task,
    skill: applyRules(document, toggles).skill,
    context,
    plan: {
      split: "val",
      draw: { purpose: "gate", claim: night, trial: pair.trial },
      place: { role: "target", step, stage: "evaluate", block: `${night} ${hash} ${pair.trial}` },
      // a real conversation keeps its own words
      wording: talk === undefined ? wordingOf(hash, pair.trial) : 0,
    },
  }));
}

const talkOf = (mined: MinedTask, { agent }: Context) => (agent === undefined ? undefined : talkTask(mined));

/** A wording's tosses on a task; undefined if a result is missing. */
function tossesOf(
  toggle: Toggle,
  pairs: readonly TossedPair[],
  { settings }: Context,
): readonly Toss[] | undefined {
  const tosses = pairs.map(({ first, results }) => {
    const [score, other] = results.map(({ outcome }) => gateScoreOf(outcome, settings));
    return { on: first.includes(toggle), chance: tossChance, score: score ?? null, other: other ?? null };
  });
  const isWhole = (toss: (typeof tosses)[number]): toss is Toss => toss.score !== null && toss.other !== null;
  return tosses.every(isWhole) ? tosses : undefined;
}

/** Missing results aren't safe: an outage must not lead to a proof. */
function isSafe(tosses: readonly Toss[] | undefined): boolean {
  if (tosses === undefined) return false;
  const arms = armsOfTosses(tosses);
  return lostTasks([{ incumbent: arms.without, candidate: arms.with }]).length === 0;
}
