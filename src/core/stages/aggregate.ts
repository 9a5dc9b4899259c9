import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { Prompt } from "../prompts/prompt.ts";
import { type Merge, mergeFailure, mergeFinal, mergeSuccess } from "../prompts/merge.ts";
import { type Edit, type Patch, type RawPatch, editKey } from "../skill/edit.ts";
import type { Skill } from "../skill/skill.ts";
import { askModel } from "./ask-model.ts";
import { chunk } from "./chunk.ts";
import { joinSections, jsonSection, metaSection, skillSection } from "./optimizer-text.ts";
import type { PatchSides } from "./reflect.ts";
import { withoutUndefined } from "./attribute-edit.ts";

export interface MergedPatch extends Patch {
  /** The edits are sorted best first, in the optimizer's judgment. */
  readonly ranked: boolean;
}

export interface AggregateInput {
  readonly skill: Skill;
  readonly sides: PatchSides;
  readonly budget: number;
  /** The optimizer's notes from earlier epochs. */
  readonly meta: string;
  /** The output contracts, in the format of `contractSection`. */
  readonly contracts: string;
  readonly place: Place;
}

/**
 * Merges failure patches level by level into one, and success patches the same way, each side as soon as its patches
 * arrive. In the final merge, failure-driven edits win.
 */
export async function aggregate(input: AggregateInput, context: Context): Promise<MergedPatch> {
  const mergeSide = async (patches: Promise<readonly RawPatch[]>, prompt: Prompt<Merge>) =>
    mergeTree((await patches).filter(({ edits }) => edits.length > 0).map(unranked), prompt, input, context);
  const [failure, success] = await Promise.all([
    mergeSide(input.sides.failure, mergeFailure),
    mergeSide(input.sides.success, mergeSuccess),
  ]);
  if (failure === undefined || success === undefined) {
    return failure ?? success ?? { reasoning: "", edits: [], ranked: false };
  }
  return mergeGroup([failure, success], mergeFinal, input, context);
}

const unranked = ({ reasoning, edits }: Patch): MergedPatch => ({ reasoning, edits, ranked: false });

async function mergeTree(
  patches: readonly MergedPatch[],
  prompt: Prompt<Merge>,
  input: AggregateInput,
  context: Context,
): Promise<MergedPatch | undefined> {
  let level = patches;
  while (level.length > 1) {
    const groups = chunk(level, context.settings.mergeBatchSize);
    level = await Promise.all(
      groups.map(async (group) => {
        const [only] = group;
        return group.length === 1 && only !== undefined ? only : mergeGroup(group, prompt, input, context);
      }),
    );
  }
  return level[0];
}

async function mergeGroup(
  group: readonly MergedPatch[],
  prompt: Prompt<Merge>,
  { skill, budget, contracts, meta, place }: AggregateInput,
  context: Context,
): Promise<MergedPatch> {
  const shown = group.map(({ reasoning, edits }) => ({ reasoning, edits: edits.map(proposal) }));
  const user = joinSections([
    skillSection(skill, context.settings),
    contracts,
    metaSection(meta),
    jsonSection("Patches to merge", { patches: shown }),
    `Edit budget: ${budget}`,
  ]);
  const merge = await askModel(prompt, user, place, context);
  const inputs = group.flatMap((patch) => patch.edits);
  if (merge === undefined) return concatenate(group);
  const edits = merge.edits.map((edit) => inherit(withoutUndefined(edit), inputs));
  return { reasoning: merge.reasoning, edits, ranked: merge.ranked };
}

/** The part of an edit that a merge or a ranking sees. */
export function proposal({ op, target, content, file, evidence }: Edit): Edit {
  return withoutUndefined({ op, target, content, file, evidence: [...evidence] });
}

/** The fallback if the optimizer's merge can't be used: all edits, failures first, without duplicates. */
function concatenate(group: readonly MergedPatch[]): MergedPatch {
  const seen = new Set<string>();
  const edits = group
    .flatMap((patch) => patch.edits)
    .filter((edit) => {
      const same = editKey(edit);
      return seen.has(same) ? false : seen.add(same);
    });
  return { reasoning: group.map((patch) => patch.reasoning).join("\n"), edits, ranked: false };
}

/** A merged edit keeps its source and the tasks that asked for it. */
function inherit(edit: Edit, inputs: readonly Edit[]): Edit {
  const known = new Set(inputs.flatMap((input) => input.evidence));
  const evidence = [...new Set(edit.evidence)].filter((id) => known.has(id));
  const parents = inputs.filter(
    (input) => input.content === edit.content || input.evidence.some((id) => evidence.includes(id)),
  );
  const source =
    parents.some((parent) => parent.source === "failure") || parents.length === 0 ? "failure" : "success";
  const mergeLevel = 1 + Math.max(0, ...parents.map((parent) => parent.mergeLevel ?? 0));
  return { ...edit, evidence, support: evidence.length, source, mergeLevel, origin: "analyst" };
}
