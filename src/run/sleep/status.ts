import type { Review } from "../../core/proposal/review.ts";
import type { Rule } from "../../core/sleep/rules/rule.ts";
import type { Consent } from "./consent.ts";
import { readConsent } from "./consent.ts";
import { pinnedFile } from "./night/pin-night.ts";
import { listProposals } from "./proposals/proposals.ts";
import { type NightRecord, nextNight, noNights, stateFile } from "./state.ts";
import { syncRules } from "./night/sync-rules.ts";

export interface SleepStatus {
  readonly consent: Consent;
  /** Oldest first. */
  readonly nights: readonly NightRecord[];
  /** The id of a night that was begun and not finished. */
  readonly unfinished?: string;
  /** Undecided, tested again on later nights. */
  readonly open: readonly Rule[];
  /** What waits for a person. */
  readonly staged: readonly Review[];
}

export function sleepStatus(journalDir: string): SleepStatus {
  const consent = readConsent(journalDir);
  const state = stateFile(journalDir).read() ?? noNights;
  const next = nextNight(state);
  return {
    consent,
    nights: state.nights,
    ...(pinnedFile(journalDir, next).read() === undefined ? {} : { unfinished: next }),
    open: syncRules(state.rules, journalDir).filter(({ status }) => status === "open"),
    staged: listProposals(journalDir).filter(({ state: one }) => one === "staged"),
  };
}
