import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { EditReport } from "../skill/apply-edits.ts";
import type { Edit, RawPatch } from "../skill/edit.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import { addAppendixNotes } from "./appendix.ts";
import { type GuardInput, refusal } from "./guard-edits.ts";
import { rewrite } from "./rewrite.ts";
import { update } from "./update.ts";

export interface CandidateInput {
  readonly incumbent: Skill;
  readonly edits: readonly Edit[];
  readonly patches: readonly RawPatch[];
  /** The output contracts, as `contractSection` writes them. */
  readonly contracts: string;
  readonly guard: GuardInput;
  readonly place: Place;
}

export interface WrittenCandidate {
  readonly candidate: Skill;
  readonly edits: readonly Edit[];
  readonly reports: readonly EditReport[];
  /** Why a whole rewrite was refused. */
  readonly refused?: string;
}

/** Stage 5: edits applied one by one, or a whole document; then the reminders of the appendix. */
export async function writeCandidate(input: CandidateInput, context: Context): Promise<WrittenCandidate> {
  const { incumbent, edits, contracts, guard, place } = input;
  const written: WrittenCandidate =
    context.settings.updateMode === "patch"
      ? await update(incumbent, edits, place, context)
      : { edits, reports: [], ...(await rewrite(incumbent, edits, contracts, guard, place, context)) };
  const notes = input.patches.flatMap((patch) => patch.notes ?? []);
  const usable = notes.filter((note) => refusal(note, guard) === undefined);
  const reminded = await addAppendixNotes(written.candidate, usable, place, context);
  const { tokenBudgets } = context.settings;
  const overrun = findFileOverrun(written.candidate, reminded.main, mainText(reminded), tokenBudgets);
  return overrun === undefined ? { ...written, candidate: reminded } : written;
}
