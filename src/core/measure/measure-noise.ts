import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type ClaimVerdict, claimVerdict } from "../gate/claim/claim-verdict.ts";
import { type FlipRate, flipRate } from "../gate/flip-rate.ts";
import type { Skill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { claimPairs } from "./claim-pairs.ts";
import { checkReplies } from "./check-replies.ts";
import { checkPendingShare } from "./pending-share.ts";
import { rollSideBySide } from "./side-by-side.ts";
import { timed } from "../stages/timed.ts";
import type { Trials } from "./trials.ts";

export interface NoiseInput {
  readonly skill: Skill;
  readonly split: SplitName;
  readonly tasks: readonly Task[];
  /** Per task and arm. */
  readonly trials: number;
  /** Also tries neutral rewordings of each task, as many as trials. @default false */
  readonly variants?: boolean;
}

export interface Noise {
  readonly a: Trials;
  readonly b: Trials;
  /** Over all trials of both arms. */
  readonly flips: FlipRate;
  /** The same over neutral rewordings of each task, where they were tried. */
  readonly variants?: FlipRate;
  /** The skill's mean score over all trials. */
  readonly score: number;
  /** The claim's own answer to "is the skill better than itself?". */
  readonly claim: ClaimVerdict;
}

/** The skill against itself, side by side: whatever differs is noise. */
export async function rollAgainstItself(
  { skill, split, tasks, trials, variants = false }: NoiseInput,
  context: Context,
): Promise<Noise> {
  const { settings } = context;
  const { seed } = settings;
  const placed = tasks.map((task) => ({ task, split }));
  const arm = (purpose: "noise-a" | "noise-b") => ({ skill, draw: { purpose }, context });
  const plan = { tasks: placed, trials, place, seed };
  const rollBoth = () => rollSideBySide([arm("noise-a"), arm("noise-b")], plan);
  const rollVariants = () =>
    rollSideBySide([{ skill, draw: { purpose: "variants" }, context }], { ...plan, variesWording: true });
  const [plain, varied] = await timed(
    "evaluate",
    0,
    (variants ? 3 : 2) * tasks.length * trials,
    () => Promise.all([rollBoth(), variants ? rollVariants() : undefined]),
    context,
  );
  const [a, b] = plain.arms as readonly [Trials, Trials];
  checkReplies([...a.rolled.flat(), ...b.rolled.flat()], context);
  checkPendingShare([...a.rolled.flat(), ...b.rolled.flat()], "evaluate", context);
  const pairs = claimPairs(tasks, a.scores, b.scores, context.leftOut);
  const reworded = varied?.arms[0]?.scores.map((scores) => scores.filter((score) => score !== null));
  const known = pairs.map(({ incumbent, candidate }) =>
    [...incumbent, ...candidate].filter((score) => score !== null),
  );
  const all = known.flat();
  return {
    a,
    b,
    flips: flipRate(known),
    ...(reworded === undefined ? {} : { variants: flipRate(reworded) }),
    score: all.reduce((sum, score) => sum + score, 0) / Math.max(all.length, 1),
    claim: claimVerdict(pairs, { alpha: settings.sealedAlpha }),
  };
}

const place: Place = { role: "target", step: 0, stage: "evaluate" };
