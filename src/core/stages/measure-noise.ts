import type { Context, Place } from "../context.ts";
import { type ClaimVerdict, claimVerdict } from "../gate/claim-verdict.ts";
import { type FlipRate, flipRate } from "../gate/flip-rate.ts";
import { type StrictLuck, strictLuck } from "../gate/strict-luck.ts";
import type { Skill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { checkReplies } from "./check-replies.ts";
import { checkPendingShare } from "./pending-share.ts";
import { timed } from "./timed.ts";
import { type Trials, rollTrials } from "./trials.ts";

export interface NoiseInput {
  readonly skill: Skill;
  readonly split: SplitName;
  readonly tasks: readonly Task[];
  /** Per task and arm. */
  readonly trials: number;
}

export interface Noise {
  readonly a: Trials;
  readonly b: Trials;
  /** Over all trials of both arms. */
  readonly flips: FlipRate;
  /** The skill's mean score over all trials. */
  readonly score: number;
  readonly luck: StrictLuck;
  /** The claim's own answer to "is the skill better than itself?". */
  readonly claim: ClaimVerdict;
}

/** The skill against itself: whatever differs is noise. */
export async function measureNoise(
  { skill, split, tasks, trials }: NoiseInput,
  context: Context,
): Promise<Noise> {
  const { settings } = context;
  const arm = (purpose: "noise-a" | "noise-b") =>
    rollTrials(skill, { split, tasks, purpose, trials, place }, context);
  const rollBoth = () => Promise.all([arm("noise-a"), arm("noise-b")]);
  const [a, b] = await timed("evaluate", 0, 2 * tasks.length * trials, rollBoth, context);
  checkReplies([...a.rolled.flat(), ...b.rolled.flat()], context);
  checkPendingShare([...a.rolled.flat(), ...b.rolled.flat()], "evaluate", settings);
  const pairs = tasks.map((_, index) => ({
    incumbent: a.scores[index] ?? [],
    candidate: b.scores[index] ?? [],
  }));
  const known = pairs.map(({ incumbent, candidate }) =>
    [...incumbent, ...candidate].filter((score) => score !== null),
  );
  const all = known.flat();
  return {
    a,
    b,
    flips: flipRate(known),
    score: all.reduce((sum, score) => sum + score, 0) / Math.max(all.length, 1),
    luck: strictLuck(known, settings.seed),
    claim: claimVerdict(pairs, { alpha: settings.sealedAlpha }),
  };
}

const place: Place = { role: "target", step: 0, stage: "evaluate" };
