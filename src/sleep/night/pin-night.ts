import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createRedactor } from "../../adapters/redaction/create-redactor.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { waitingRules } from "../../core/offer/review.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import type { Digest } from "../../core/ports/conversation.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { type Harvested, type ReadRef, markTried, mostTries } from "../memory/harvested.ts";
import type { OwnMemory } from "../memory/own-memories.ts";
import { plural } from "../../core/plural.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import type { UsualPrompts } from "./reader-canary.ts";
import { type CheckedFile, checkedFile } from "../checked-file.ts";
import { forgetWords, listProposals } from "../../run/offer/offers.ts";
import type { SleepPlace } from "../place.ts";
import type { Consent } from "../consent.ts";
import { type SleepState, nextNight } from "../state.ts";

/** Everything that determines a night, saved before its first call, so that running it again gives the same night. */
export interface PinnedNight {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly conversations: readonly Digest[];
  /** Tasks that a person has reviewed, instead of conversations. */
  readonly tasks?: readonly MinedTask[];
  readonly documents: readonly Document[];
  /** The agents' own memory, to compare wishes with. */
  readonly memories: readonly OwnMemory[];
  /** All read conversations, including this night's. */
  readonly harvested: Harvested;
  /** Each conversation's place, and how often mining it failed. @default unknown */
  readonly places?: readonly MinedRef[];
  /** The reader and the miner. */
  readonly by?: string;
  /** The counts including this night's. */
  readonly usual?: UsualPrompts;
  /** Conversations that wait for the next night. */
  readonly left: number;
  /** Unread ones that are older than the lookback allows. */
  readonly older: number;
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  /** Notes for the person. */
  readonly notes: readonly string[];
}

export interface MinedRef extends ReadRef {
  readonly conversation: string;
  readonly tries: number;
}

/** Marks all conversations of a night as read, except those that mining failed on, which count as tried. */
export function readIn(
  { harvested, places = [], by = "", usual }: Pick<PinnedNight, "harvested" | "places" | "by" | "usual">,
  before: Pick<SleepState, "harvested" | "usual">,
  failed: readonly string[],
): Pick<SleepState, "harvested" | "usual"> {
  const vain = places.filter(({ conversation }) => failed.includes(conversation));
  return {
    harvested: markTried(harvested, vain, { by, before: before.harvested }),
    usual: usual ?? before.usual,
  };
}

/** Says how many wait for the next night, and how many for another miner. */
export function failedNotes(
  { places = [] }: Pick<PinnedNight, "places">,
  failed: readonly string[],
): readonly string[] {
  const vain = places.filter(({ conversation }) => failed.includes(conversation));
  const last = vain.filter(({ tries }) => tries + 1 >= mostTries).length;
  const again = vain.length - last;
  const waits = (count: number) => `${plural(count, "conversation")} ${count === 1 ? "waits" : "wait"}`;
  return [
    ...(again === 0 ? [] : [`The miner gave no usable reply: ${waits(again)} for the next night.`]),
    ...(last === 0
      ? []
      : [`The miner gave no usable reply ${mostTries} times: ${waits(last)} for another miner.`]),
  ];
}

/** A redactor that knows the values in this person's secret files. */
export const openRedactor = ({ env, project, home }: SleepPlace): Promise<Redactor> =>
  createRedactor({ env, project, home });

export const nightFolder = (journalDir: string, id: string): string =>
  join(journalDir, "sleep", "nights", id);

export const pinnedFile = (journalDir: string, id: string): CheckedFile<PinnedNight> =>
  checkedFile(
    join(nightFolder(journalDir, id), "pinned.json"),
    "Delete that night's folder. The next night reads its conversations again.",
  );

/** The stopped night that the next one resumes, if any. Conversations read under an earlier consent are read again. */
export function stoppedNight(
  journalDir: string,
  state: SleepState,
  consent: Pick<Consent, "at">,
): PinnedNight | undefined {
  const stopped = pinnedFile(journalDir, nextNight(state)).read();
  return stopped !== undefined && stopped.at >= consent.at ? stopped : undefined;
}

/** Deletes text of conversations that is older than the person allows. A waiting proposal keeps its evidence. */
export async function forgetOldNights(
  journalDir: string,
  { nights }: Pick<SleepState, "nights">,
  before: number,
): Promise<void> {
  for (const { id, endedAt } of nights)
    if (endedAt < before) await rm(nightFolder(journalDir, id), { recursive: true, force: true });
  for (const review of listProposals(journalDir))
    if ((review.stagedAt ?? 0) < before && waitingRules(review).length === 0)
      await forgetWords(journalDir, review.id).catch(unlessLocked);
}

/** Skips a proposal that a person is deciding on right now. The next night handles it. */
function unlessLocked(error: unknown): void {
  if (!(error instanceof WhetstoneError && error.code === "live-locked")) throw error;
}
