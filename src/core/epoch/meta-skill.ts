import type { Context } from "../context.ts";
import { metaSkillPrompt as prompt } from "../prompts/meta-skill.ts";
import type { Skill } from "../skill/skill.ts";
import { askModel } from "../stages/ask-model.ts";
import {
  type TriedStep,
  joinSections,
  metaSection,
  skillSection,
  triedSection,
} from "../stages/optimizer-text.ts";
import { type LongitudinalPair, pairSection } from "./longitudinal-pairs.ts";

/** The optimizer's own memory of what kinds of edits helped; never part of the shipped skill. */
export async function metaSkill(
  previous: Skill,
  current: Skill,
  pairs: readonly LongitudinalPair[],
  tried: readonly TriedStep[],
  memory: string,
  step: number,
  context: Context,
): Promise<string> {
  const user = joinSections([
    skillSection(previous, context.settings).replace("# The skill", "# The skill one epoch ago"),
    skillSection(current, context.settings).replace("# The skill", "# The skill now"),
    triedSection(tried),
    metaSection(memory),
    pairSection(pairs),
  ]);
  const written = await askModel(prompt, user, { role: "optimizer", step, stage: "epoch" }, context);
  return written?.memory.trim() ?? memory;
}
