import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { learningRate } from "../prompts/learning-rate.ts";
import type { Skill } from "../skill/skill.ts";
import { type MergedPatch, proposal } from "./aggregate.ts";
import { askModel } from "./ask-model.ts";
import {
  type TriedStep,
  joinSections,
  jsonSection,
  metaSection,
  skillSection,
  triedSection,
} from "./optimizer-text.ts";

export interface BudgetInput {
  readonly skill: Skill;
  readonly merged: MergedPatch;
  /** Share of the batch that the skill solved. */
  readonly solved: number;
  readonly tried: readonly TriedStep[];
  readonly meta: string;
  readonly place: Place;
}

/** `schedule: autonomous`: the optimizer picks how many edits to apply, clamped to what exists. Unusable → none. */
export async function chooseBudget(input: BudgetInput, context: Context): Promise<number> {
  const pool = input.merged.edits;
  if (pool.length === 0) return 0;
  const user = joinSections([
    skillSection(input.skill, context.settings),
    `# This batch\n\n${Math.round(100 * input.solved)} % of its tasks were solved.`,
    triedSection(input.tried),
    metaSection(input.meta),
    jsonSection("Pool", { edits: pool.map(proposal) }),
  ]);
  const chosen = await askModel(learningRate, user, input.place, context);
  return Math.min(pool.length, chosen?.edits ?? 0);
}
