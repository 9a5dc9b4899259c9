import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { oneShot } from "../prompts/one-shot.ts";
import { findBrokenProtection } from "../skill/regions.ts";
import { type Skill, mainText, singleFileSkill } from "../skill/skill.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { askModel } from "../stages/ask-model.ts";
import { type Evaluation, measureSkill } from "./evaluate.ts";
import { joinSections, skillSection } from "../stages/optimizer-text.ts";
import type { Rolled } from "../stages/rollout.ts";
import { missesSection } from "../stages/misses.ts";
import { trajectoryText } from "../stages/trajectory.ts";

const place: Place = { role: "target", step: 0, stage: "test", background: true };
const shownFailures = 8;

/** The tasks for baselines: test, or val without a test split. */
export interface HeldOut {
  readonly split: SplitName;
  readonly tasks: readonly Task[];
}

/** The target without any skill, one trial per task: context for the report, never a claim. */
export async function measureNoSkill({ split, tasks }: HeldOut, context: Context): Promise<Evaluation> {
  return measureSkill(singleFileSkill(""), split, tasks, { purpose: "baseline", trial: 0 }, place, context);
}

/** A skill that the optimizer wrote in one go, and its score. */
export interface OneShot extends Evaluation {
  readonly skill: Skill;
}

/** The result of one rewrite by the optimizer, from the failures of the first batch. Undefined if it isn't usable. */
export async function measureOneShot(
  skill: Skill,
  rolled: readonly Rolled[],
  { split, tasks }: HeldOut,
  context: Context,
): Promise<OneShot | undefined> {
  const attempts = rolled.flatMap(({ task, outcome }) =>
    outcome.kind === "scored" ? [{ task, outcome }] : [],
  );
  const failures = attempts
    .filter(({ outcome }) => outcome.hard < 1)
    .map((attempt) => trajectoryText(attempt));
  const user = joinSections([
    skillSection(skill, context.settings),
    missesSection(attempts),
    `# Failed tasks\n\n${failures.slice(0, shownFailures).join("\n\n---\n\n")}`,
  ]);
  const written = await askModel(oneShot, user, { ...place, role: "optimizer" }, context);
  if (written === undefined || findBrokenProtection(mainText(skill), written.new_skill) !== null)
    return undefined;
  const rewritten = { ...skill, files: { ...skill.files, [skill.main]: written.new_skill } };
  const draw = { purpose: "baseline", trial: 0 } as const;
  return { skill: rewritten, ...(await measureSkill(rewritten, split, tasks, draw, place, context)) };
}
