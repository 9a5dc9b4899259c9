import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { anchorRepair } from "../prompts/anchor-repair.ts";
import type { TrainSettings } from "../settings.ts";
import { type EditLimits, type EditReport, applyPatch } from "../skill/apply-edits.ts";
import type { Edit } from "../skill/edit.ts";
import type { Skill } from "../skill/skill.ts";
import { findDescriptionProblem } from "../triggers/description.ts";
import { proposal } from "./aggregate.ts";
import { askModel } from "./ask-model.ts";
import { joinSections, jsonSection, skillSection } from "./optimizer-text.ts";

export interface Update {
  readonly candidate: Skill;
  /** The edits as they were applied, in order. */
  readonly edits: readonly Edit[];
  readonly reports: readonly EditReport[];
}

/** The limits that the settings set for edits. */
export const editLimits = ({
  allowScripts,
  maxSkillLength,
  tokenBudgets,
  track,
}: TrainSettings): EditLimits => ({
  allowScripts,
  maxSkillLength,
  tokenBudgets,
  findProblem: track === "description" ? findDescriptionProblem : undefined,
});

/** Applies the edits in order. Edits whose target occurs more than once are sent back to the optimizer, once. */
export async function update(
  skill: Skill,
  edits: readonly Edit[],
  place: Place,
  context: Context,
): Promise<Update> {
  const limits = editLimits(context.settings);
  const first = applyPatch(skill, edits, limits);
  const ambiguous = first.reports.flatMap((report, index) => {
    const edit = edits[index];
    return report.candidates === undefined || edit === undefined
      ? []
      : [{ index, edit, lines: report.candidates }];
  });
  if (ambiguous.length === 0) return { candidate: first.skill, edits, reports: first.reports };

  const user = joinSections([
    skillSection(skill, context.settings),
    jsonSection("Edits whose target occurs more than once", {
      edits: ambiguous.map(({ edit, lines }) => ({ ...proposal(edit), occurrences: lines })),
    }),
  ]);
  const repaired = await askModel(anchorRepair, user, place, context);
  const mended = edits.map((edit, index) => {
    const target = repaired?.targets[ambiguous.findIndex((one) => one.index === index)];
    return target === undefined ? edit : widened(edit, target);
  });
  const second = applyPatch(skill, mended, limits);
  return { candidate: second.skill, edits: mended, reports: second.reports };
}

/** The edit with a longer target; only its own words change. */
function widened(edit: Edit, target: string): Edit {
  const { op, target: own = "", content = "" } = edit;
  const [before = "", after, ...more] = target.split(own);
  if (own === "" || after === undefined || more.length > 0) return edit;
  if (op === "insert_after") return { ...edit, target };
  return { ...edit, op: "replace", target, content: `${before}${op === "delete" ? "" : content}${after}` };
}
