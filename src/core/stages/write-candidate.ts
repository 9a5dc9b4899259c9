import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { EditReport } from "../skill/apply-edits.ts";
import type { Change } from "../rules/search-rule.ts";
import type { Edit, RawPatch } from "../skill/edit.ts";
import { readRegion, forgesMarker, replaceRegion } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import { type GuardInput, refusal } from "./guard-edits.ts";
import { update } from "./update.ts";
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { appendixCompaction } from "../prompts/appendix-compaction.ts";
import { askModel } from "./ask-model.ts";

export interface CandidateInput {
  readonly incumbent: Skill;
  readonly edits: readonly Edit[];
  readonly patches: readonly RawPatch[];
  readonly guard: GuardInput;
  readonly place: Place;
}

export interface WrittenCandidate {
  readonly candidate: Skill;
  /** What it changes, one by one. */
  readonly changes: readonly Change[];
  readonly edits: readonly Edit[];
  readonly reports: readonly EditReport[];
}

/** Stage 5: edits applied one by one; then the reminders of the appendix. */
export async function writeCandidate(input: CandidateInput, context: Context): Promise<WrittenCandidate> {
  const { incumbent, guard, place } = input;
  const updated = await update(incumbent, input.edits, place, context);
  const applied = updated.edits.filter((_, at) => updated.reports[at]?.applied === true);
  const changes = applied.map((edit): Change => ({ kind: "edit", edit }));
  const written: WrittenCandidate = { ...updated, changes };
  const notes = input.patches.flatMap((patch) => patch.notes ?? []);
  const usable = notes.filter((note) => refusal(note, guard) === undefined);
  const reminded = await addAppendixNotes(written.candidate, usable, place, context);
  const { tokenBudgets } = context.settings;
  const overrun = findFileOverrun(written.candidate, reminded.main, mainText(reminded), tokenBudgets);
  const reminders = readRegion(mainText(reminded), "appendix");
  if (reminded === written.candidate || overrun !== undefined || reminders === null) return written;
  const reminder: Change = { kind: "text", region: "appendix", text: reminders, holds: [] };
  return { ...written, candidate: reminded, changes: [...changes, reminder] };
}

const mostNotes = 12;
const bullet = "- ";

/**
 * Reminders of rules that the skill has but that were not followed, in their protected block: each once, and
 * compacted by the optimizer when they become many. They are part of the candidate, so the gate judges them.
 */
export async function addAppendixNotes(
  skill: Skill,
  notes: readonly string[],
  place: Place,
  context: Context,
): Promise<Skill> {
  const before = readNotes(skill);
  const known = new Set(before.map(sameNote));
  const usable = notes.map((note) => note.replace(/\s+/g, " ").trim()).filter(isUsable);
  const after = [...before];
  for (const note of usable) {
    if (known.has(sameNote(note))) continue;
    known.add(sameNote(note));
    after.push(note);
  }
  if (after.length === before.length) return skill;
  const kept = after.length > mostNotes ? await compact(after, place, context) : after;
  const text = replaceRegion(mainText(skill), "appendix", kept.map((note) => bullet + note).join("\n"));
  return { ...skill, files: { ...skill.files, [skill.main]: text } };
}

const isUsable = (note: string): boolean =>
  note !== "" && note.length <= 400 && !forgesMarker(note) && findHiddenCharacters(note).length === 0;

const sameNote = (note: string): string =>
  note
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

function readNotes(skill: Skill): readonly string[] {
  const body = readRegion(mainText(skill), "appendix") ?? "";
  return body
    .split(/\r?\n/)
    .filter((line) => line.startsWith(bullet))
    .map((line) => line.slice(bullet.length));
}

async function compact(notes: readonly string[], place: Place, context: Context): Promise<readonly string[]> {
  const user = `# Reminders\n\n${notes.map((note, index) => `${index + 1}. ${note}`).join("\n")}`;
  const compacted = await askModel(appendixCompaction, user, place, context);
  const usable = compacted?.notes.map((note) => note.trim()).filter(isUsable) ?? [];
  return usable.length > 0 && usable.length < notes.length ? usable : notes.slice(-mostNotes);
}
