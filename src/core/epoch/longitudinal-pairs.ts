import type { Context } from "../context.ts";
import { seededRandom, shuffle } from "../random.ts";
import type { Skill } from "../skill/skill.ts";
import { checkPendingShare } from "../measure/pending-share.ts";
import { rollout } from "../stages/rollout.ts";
import { trajectoryText } from "../stages/trajectory.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";

export type PairLabel = "improved" | "regressed" | "persistent failure" | "stable success";

/** One train task under last epoch's skill and under this epoch's. */
export interface LongitudinalPair {
  readonly task: Task;
  readonly label: PairLabel;
  readonly before: Scored;
  readonly after: Scored;
}

/** Samples train tasks and rolls both skills out on them, at the same time. */
export async function longitudinalPairs(
  previous: Skill,
  current: Skill,
  train: readonly Task[],
  epoch: number,
  step: number,
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

/** The pairs as the optimizer reads them, what became worse first. */
export function pairSection(pairs: readonly LongitudinalPair[]): string {
  const order: readonly PairLabel[] = ["regressed", "persistent failure", "improved", "stable success"];
  const blocks = order.flatMap((label) =>
    pairs
      .filter((pair) => pair.label === label)
      .map((pair) => {
        const now = trajectoryText(pair.task, pair.after);
        // what did not change needs to be read once
        return label === "stable success" || label === "persistent failure"
          ? `[${label}]\n${now}`
          : `[${label}]\nBefore:\n${trajectoryText(pair.task, pair.before)}\nNow:\n${now}`;
      }),
  );
  return `# The same tasks under both skills\n\n${blocks.join("\n\n---\n\n")}`;
}
