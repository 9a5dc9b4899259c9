import type { Context } from "../context.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import { joinSections, metaSection, skillSection, triedSection } from "../stages/optimizer-text.ts";
import {
  type EpochBoundary,
  type LongitudinalPair,
  longitudinalPairs,
  pairSection,
} from "./longitudinal-pairs.ts";
import { slowUpdate } from "./slow-update.ts";
import { metaSkillPrompt as prompt } from "../prompts/meta-skill.ts";
import { askModel } from "../stages/ask-model.ts";

export interface CrossedEpoch {
  /** The skill with new guidance in its protected block: a candidate, to be judged like any other. */
  readonly guided?: Skill;
  /** The optimizer's notes for the next epochs. */
  readonly meta: string;
}

/** From epoch 2 on: what changed over the epoch, as guidance for the agent and as memory for the optimizer. */
export async function crossEpoch(boundary: EpochBoundary, context: Context): Promise<CrossedEpoch> {
  const { settings } = context;
  const { epoch, isLast, previous, current, meta } = boundary;
  // no epoch follows to read the notes
  const writesNotes = settings.metaSkill && !isLast;
  const canFall = skillIdentity(previous) !== skillIdentity(current);
  if (epoch < 2 || !((settings.slowUpdate && canFall) || writesNotes)) return { meta };
  const pairs = await longitudinalPairs(boundary, context);
  // guidance protects what newer rules push aside
  const guides = settings.slowUpdate && pairs.some(({ label }) => label === "regressed");
  const [guided, notes] = await Promise.all([
    guides ? slowUpdate(boundary, pairs, context) : undefined,
    writesNotes ? metaSkill(boundary, pairs, context) : meta,
  ]);
  return { meta: notes, guided };
}

/** The optimizer's own memory of which kinds of edits helped. It's never part of the shipped skill. */
export async function metaSkill(
  { previous, current, tried, meta, step }: EpochBoundary,
  pairs: readonly LongitudinalPair[],
  context: Context,
): Promise<string> {
  const user = joinSections([
    skillSection(previous, context.settings).replace("# The skill", "# The skill one epoch ago"),
    skillSection(current, context.settings).replace("# The skill", "# The skill now"),
    triedSection(tried),
    metaSection(meta),
    pairSection(pairs),
  ]);
  const written = await askModel(prompt, user, { role: "optimizer", step, stage: "epoch" }, context);
  return written?.memory.trim() ?? meta;
}
