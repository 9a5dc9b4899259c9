import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "../../../adapters/redaction/create-redactor.ts";
import { harvest } from "../../../adapters/transcripts/harvest.ts";
import { openSources } from "../../../adapters/transcripts/sources.ts";
import type { Redactor } from "../../../core/ports/redactor.ts";
import type { Digest } from "../../../core/sleep/mine/digest.ts";
import type { Document } from "../../../core/sleep/rules/document.ts";
import type { HarvestCursors } from "../../../core/sleep/memory/harvest-cursor.ts";
import type { MinedTask } from "../../../core/sleep/mine/mined-task.ts";
import { type CheckedFile, checkedFile } from "../checked-file.ts";
import { withCommit } from "./commit-at.ts";
import type { Consent } from "../consent.ts";
import { findDocuments } from "./find-documents.ts";
import { redactConversation } from "./ingest.ts";
import type { SleepPlace } from "../place.ts";
import type { SleepState } from "../state.ts";

/** All that a night is a function of, written down before its first call: whoever runs it again gets the same night. */
export interface PinnedNight {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly conversations: readonly Digest[];
  /** Tasks that a person has reviewed, instead of conversations. */
  readonly tasks?: readonly MinedTask[];
  readonly documents: readonly Document[];
  /** Where the next night goes on reading. */
  readonly cursors: HarvestCursors;
  /** Conversations that wait for the next night. */
  readonly left: number;
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  /** What a person should know. */
  readonly notes: readonly string[];
}

export interface Gathered extends Omit<PinnedNight, "id" | "at"> {}

/** Reads what is new, takes secrets out, and finds the texts that it could improve. Nothing is written. */
export async function gather(
  place: SleepPlace,
  consent: Consent,
  state: Pick<SleepState, "cursors">,
  redactor: Redactor,
  now: number,
): Promise<Gathered> {
  const { settings, project, home, env } = place;
  const found = await harvest({
    sources: openSources({ home, env, places: settings.places }, consent.sources),
    project,
    cursors: state.cursors,
    since: now - settings.lookbackHours * 3_600_000,
    max: settings.maxConversations,
    exclude: consent.exclude,
    prepare: async (raw) => redactConversation(await withCommit(raw), redactor),
  });
  const { conversations, cursors, left, skipped } = found;
  const { documents, notes } = await findDocuments(
    conversations.flatMap(({ skills }) => skills),
    conversations.map(({ source }) => source),
    placesOf(place),
  );
  return { conversations, documents, notes, cursors, left, skipped };
}

export const placesOf = ({ project, home, settings: { memory, skillRoots } }: SleepPlace) => ({
  project,
  home,
  skillRoots,
  memory,
});

/** Known values come from where this person's secrets lie. */
export const openRedactor = ({ env, project, home }: SleepPlace): Promise<Redactor> =>
  createRedactor({ env, project, home });

export const nightFolder = (journalDir: string, id: string): string =>
  join(journalDir, "sleep", "nights", id);

export const pinnedFile = (journalDir: string, id: string): CheckedFile<PinnedNight> =>
  checkedFile(
    join(nightFolder(journalDir, id), "pinned.json"),
    "Delete that night's folder: its conversations are read again the next night.",
  );

/** What conversations said is kept no longer than the person allowed; reports stay. */
export function forgetOldNights(journalDir: string, state: SleepState, before: number): void {
  const folder = join(journalDir, "sleep", "nights");
  const old = new Set(state.nights.filter(({ endedAt }) => endedAt < before).map(({ id }) => id));
  for (const id of readdirSync(folder)) {
    if (!old.has(id)) continue;
    rmSync(join(folder, id, "pinned.json"), { force: true });
    rmSync(join(folder, id, "diagnostics.json"), { force: true });
  }
}
