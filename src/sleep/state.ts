import { join } from "node:path";
import type { Cost } from "../core/cost.ts";
import type { Role } from "../core/ports/model.ts";
import { type ArchivedTask, expireArchive } from "./memory/archive.ts";
import type { Harvested } from "./memory/harvested.ts";
import type { UsualPrompts } from "./night/reader-canary.ts";
import type { Digest } from "../core/ports/conversation.ts";
import type { LearnedRule } from "../core/rules/learned/learned-rule.ts";
import { expireWishes } from "./wishes/fold-decisions.ts";
import type { ReadConversation } from "./wishes/helped.ts";
import type { Wish } from "./wishes/wish.ts";
import type { NightOverview } from "../report/model.ts";
import { type CheckedFile, checkedFile } from "./checked-file.ts";

/** The memory of a project's nights. It's written once per night, at its very end. */
export interface SleepState {
  /** Finished nights, oldest first. */
  readonly nights: readonly NightRecord[];
  /** The conversations that were read, and those that were tried without success. */
  readonly harvested: Harvested;
  /** How many conversations had a prompt, by agent. @default none was read */
  readonly usual?: UsualPrompts;
  readonly archive: readonly ArchivedTask[];
  readonly rules: readonly LearnedRule[];
  /** The person's wishes, oldest first. */
  readonly wishes: readonly Wish[];
  /** The id and end of every conversation that was read, oldest first. */
  readonly conversations: readonly ReadConversation[];
}

/** A night as reports show it, plus facts that only the next night needs. */
export interface NightRecord extends Omit<NightOverview, "v" | "cost"> {
  /** `provider/model` by role. */
  readonly models: Readonly<Partial<Record<Role, string>>>;
  readonly cost: Readonly<Partial<Record<Role, Cost>>>;
}

export const noNights: SleepState = {
  nights: [],
  harvested: {},
  archive: [],
  rules: [],
  wishes: [],
  conversations: [],
};

export const stateFile = (journalDir: string): CheckedFile<SleepState> =>
  checkedFile<SleepState>(
    join(journalDir, "sleep", "state.json"),
    "Restore a backup, or delete it and let nights start over. Adopted rules stay; rules that weren't adopted are lost.",
  );

/** Removes text that is older than the person allows to be kept. */
export const expireState = (
  state: SleepState,
  kept: { /** Milliseconds since the epoch. */ readonly now: number; readonly days: number },
): SleepState => ({
  ...state,
  archive: expireArchive(state.archive, kept),
  wishes: expireWishes(state.wishes, kept),
});

/** Adds these conversations, each once. One that went on since it was read gets its later end. */
export function addConversations(
  known: readonly ReadConversation[],
  read: readonly Pick<Digest, "id" | "endedAt">[],
): readonly ReadConversation[] {
  const byId = new Map(known.map((talk) => [talk.id, talk]));
  for (const { id, endedAt } of read) byId.set(id, { id, at: endedAt });
  return [...byId.values()].toSorted((a, b) => a.at - b.at);
}

/** The id of the next night: `0001`, `0002`, … */
export const nextNight = ({ nights }: SleepState): string => String(nights.length + 1).padStart(4, "0");
