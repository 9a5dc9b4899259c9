import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { EditReport } from "../skill/apply-edits.ts";
import type { Change } from "../rules/search-rule.ts";
import type { Edit, RawPatch } from "../skill/edit.ts";
import { readRegion } from "../skill/regions.ts";
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
  /** What it changes, one by one. */
  readonly changes: readonly Change[];
  readonly edits: readonly Edit[];
  readonly reports: readonly EditReport[];
  /** Why a whole rewrite was refused. */
  readonly refused?: string;
}

/** Stage 5: edits applied one by one, or a whole document; then the reminders of the appendix. */
export async function writeCandidate(input: CandidateInput, context: Context): Promise<WrittenCandidate> {
  const written = await write(input, context);
  const { guard, place } = input;
  const notes = input.patches.flatMap((patch) => patch.notes ?? []);
  const usable = notes.filter((note) => refusal(note, guard) === undefined);
  const reminded = await addAppendixNotes(written.candidate, usable, place, context);
  const { tokenBudgets } = context.settings;
  const overrun = findFileOverrun(written.candidate, reminded.main, mainText(reminded), tokenBudgets);
  const reminders = readRegion(mainText(reminded), "appendix");
  if (reminded === written.candidate || overrun !== undefined || reminders === null) return written;
  const reminder: Change = { kind: "text", region: "appendix", text: reminders, holds: [] };
  return { ...written, candidate: reminded, changes: [...written.changes, reminder] };
}

async function write(
  { incumbent, edits, contracts, guard, place }: CandidateInput,
  context: Context,
): Promise<WrittenCandidate> {
  if (context.settings.updateMode === "patch") {
    const updated = await update(incumbent, edits, place, context);
    const applied = updated.edits.filter((_, at) => updated.reports[at]?.applied === true);
    return { ...updated, changes: applied.map((edit) => ({ kind: "edit", edit })) };
  }
  const rewritten = await rewrite(incumbent, edits, contracts, guard, place, context);
  const isNew = rewritten.candidate !== incumbent;
  const text = mainText(rewritten.candidate);
  return { edits, reports: [], ...rewritten, changes: isNew ? [{ kind: "text", text, holds: [] }] : [] };
}
