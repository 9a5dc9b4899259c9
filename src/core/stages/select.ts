import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { ranking } from "../prompts/ranking.ts";
import type { Edit, Patch } from "../skill/edit.ts";
import type { Skill } from "../skill/skill.ts";
import { type MergedPatch, proposal } from "./aggregate.ts";
import { askModel } from "./ask-model.ts";
import {
  joinSections,
  jsonSection,
  metaSection,
  skillSection,
  type TriedStep,
  triedSection,
} from "./optimizer-text.ts";
import { learningRate } from "../prompts/learning-rate.ts";

/** Keeps at most `budget` edits. No call when the pool fits or the merge already ranked it. */
export async function select(
  skill: Skill,
  merged: MergedPatch,
  budget: number,
  meta: string,
  place: Place,
  context: Context,
): Promise<Patch> {
  const { edits, reasoning } = merged;
  if (edits.length <= budget) return { reasoning, edits };
  if (merged.ranked) {
    return { reasoning, edits: edits.slice(0, budget).map((edit) => ({ ...edit, rankReason: reasoning })) };
  }
  const user = joinSections([
    skillSection(skill, context.settings),
    metaSection(meta),
    jsonSection("Pool (indices begin at 0)", { edits: edits.map(proposal) }),
    `Edit budget: ${budget}`,
  ]);
  const ranked = await askModel(ranking, user, place, context);
  if (ranked === undefined) return { reasoning, edits: edits.slice(0, budget) };
  return { reasoning, edits: pick(edits, ranked.selected, budget, ranked.reasoning) };
}

/** The chosen edits, each once; unusable indices fall away, and with none left the first ones stay. */
function pick(
  edits: readonly Edit[],
  selected: readonly number[],
  budget: number,
  rankReason: string,
): readonly Edit[] {
  const chosen = [...new Set(selected)]
    .flatMap((index) => {
      const edit = edits[index];
      return edit === undefined ? [] : [{ ...edit, rankReason }];
    })
    .slice(0, budget);
  return chosen.length === 0 ? edits.slice(0, budget) : chosen;
}

interface BudgetInput {
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
