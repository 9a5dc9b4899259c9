import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { appendixCompaction } from "../prompts/appendix-compaction.ts";
import { forgesMarker, readRegion, replaceRegion } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { askModel } from "./ask-model.ts";

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
