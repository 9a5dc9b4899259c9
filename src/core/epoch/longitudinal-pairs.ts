import type { Context } from "../context.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import { seededRandom, shuffle } from "../random.ts";
import type { Skill } from "../skill/skill.ts";
import { checkPendingShare } from "../measure/pending-share.ts";
import { rollout } from "../stages/rollout.ts";
import type { TriedStep } from "../stages/optimizer-text.ts";
import { trajectoryText } from "../stages/trajectory.ts";
import { trimMiddle } from "../trim.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";

/** An epoch's end, with what is known by then. */
export interface EpochBoundary {
  readonly epoch: number;
  /** The last step of this epoch. */
  readonly step: number;
  readonly isLast: boolean;
  /** The skill one epoch ago, and now. */
  readonly previous: Skill;
  readonly current: Skill;
  readonly train: readonly Task[];
  readonly tried: readonly TriedStep[];
  readonly meta: string;
  readonly leaks: LeakIndex;
}

export type PairLabel = "improved" | "regressed" | "persistent failure" | "stable success";

/** One train task under last epoch's skill and under this epoch's. */
export interface LongitudinalPair {
  readonly task: Task;
  readonly label: PairLabel;
  readonly before: Scored;
  readonly after: Scored;
}

/** Samples train tasks and rolls both skills out on them at the same time. */
export async function longitudinalPairs(
  { previous, current, train, epoch, step }: EpochBoundary,
  context: Context,
): Promise<readonly LongitudinalPair[]> {
  const { seed, slowUpdateSamples } = context.settings;
  const sampled = shuffle(train, seededRandom("epoch", seed, epoch)).slice(0, slowUpdateSamples);
  const plan = {
    split: "train",
    draw: { purpose: "epoch", trial: epoch },
    place: { role: "target", step, stage: "epoch" },
  } as const;
  const [before, after] = await Promise.all(
    [previous, current].map(async (skill) => Promise.all(rollout(skill, sampled, plan, context))),
  );
  if (before === undefined || after === undefined) return [];
  checkPendingShare([...before, ...after], "epoch", context);
  return sampled.flatMap((task, index) => {
    const [old, now] = [before[index]?.outcome, after[index]?.outcome];
    if (old?.kind !== "scored" || now?.kind !== "scored") return [];
    return [{ task, label: labelPair(old, now), before: old, after: now }];
  });
}

export function labelPair(before: Scored, after: Scored): PairLabel {
  if (after.hard > before.hard) return "improved";
  if (after.hard < before.hard) return "regressed";
  return after.hard < 1 ? "persistent failure" : "stable success";
}

/** The pairs as the optimizer reads them: counts first, then regressions, then persistent failures. */
export function pairSection(pairs: readonly LongitudinalPair[]): string {
  const of = (label: PairLabel) => pairs.filter((pair) => pair.label === label);
  const counts = labels.map((label) => `${of(label).length} ${label}`).join(", ");
  const blocks = [
    ...of("regressed").map(
      ({ task, before, after }) =>
        `[regressed]\n${trajectoryText({ task, outcome: after })}\n\nThe earlier skill's answer, which passed:\n${trimMiddle(before.conversation.at(-1)?.content ?? "", 2_000)}`,
    ),
    ...of("persistent failure").map(
      ({ task, after }) => `[persistent failure]\n${trajectoryText({ task, outcome: after })}`,
    ),
  ];
  return `# The same tasks under both skills\n\n${pairs.length} tasks: ${counts}.\n\n${blocks.join("\n\n---\n\n")}`;
}

const labels: readonly PairLabel[] = ["regressed", "persistent failure", "improved", "stable success"];
