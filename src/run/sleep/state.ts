import { join } from "node:path";
import type { Cost } from "../../core/cost.ts";
import type { Role } from "../../core/ports/model.ts";
import type { ArchivedTask } from "../../core/sleep/memory/archive.ts";
import type { Harvested } from "../../core/sleep/memory/harvested.ts";
import type { Rule } from "../../core/sleep/rules/rule.ts";
import type { NightOverview } from "../../report/model.ts";
import { type CheckedFile, checkedFile } from "./checked-file.ts";

/** What nights of one project remember. Written once per night, at its very end. */
export interface SleepState {
  /** Those that ended, oldest first. */
  readonly nights: readonly NightRecord[];
  /** The conversations that were read. */
  readonly harvested: Harvested;
  readonly archive: readonly ArchivedTask[];
  readonly rules: readonly Rule[];
}

/** A night as reports show it, with what only the next one needs. */
export interface NightRecord extends Omit<NightOverview, "v" | "cost"> {
  /** `provider/model` by role. */
  readonly models: Readonly<Partial<Record<Role, string>>>;
  readonly cost: Readonly<Partial<Record<Role, Cost>>>;
}

export const noNights: SleepState = { nights: [], harvested: {}, archive: [], rules: [] };

export const stateFile = (journalDir: string): CheckedFile<SleepState> =>
  checkedFile(
    join(journalDir, "sleep", "state.json"),
    "Put back a copy of it; or delete it, and nights begin anew: what was adopted stays, what was learned but not adopted is lost.",
  );

/** `0001`, `0002`, …: the one after the last that ended. */
export const nextNight = ({ nights }: SleepState): string => String(nights.length + 1).padStart(4, "0");
