import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { ranking } from "../prompts/ranking.ts";
import type { Edit, Patch } from "../skill/edit.ts";
import type { Skill } from "../skill/skill.ts";
import { type MergedPatch, proposal } from "./aggregate.ts";
import { askModel } from "./ask-model.ts";
import { joinSections, jsonSection, metaSection, skillSection } from "./optimizer-text.ts";

/** Keeps at most `budget` edits. Makes no call if the pool fits or the merge already ranked it. */
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

/** The chosen edits without duplicates. Ignores unusable indices; if none are left, keeps the first edits. */
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
