import { type Review, countByStatus, waitingOnce } from "../core/offer/review.ts";
import type { LearnedRule } from "../core/rules/learned/learned-rule.ts";
import type { Consent } from "./consent.ts";
import { readConsent } from "./consent.ts";
import { countEnded } from "./ended.ts";
import { type Failures, readFailures } from "./failures.ts";
import { pinnedFile } from "./night/pin-night.ts";
import type { Wish } from "./wishes/wish.ts";
import { listWaiting } from "../run/offer/offers.ts";
import { type NightRecord, nextNight, noNights, stateFile } from "./state.ts";
import { syncState } from "./night/sync-rules.ts";
import { helpedNotes } from "./night/wish-notes.ts";

export interface SleepStatus {
  readonly consent: Consent;
  /** Oldest first. */
  readonly nights: readonly NightRecord[];
  /** The id of an unfinished night. */
  readonly unfinished?: string;
  /** Nights that failed since the last one that finished. */
  readonly failures?: Failures;
  /** Undecided rules, which later nights test again. */
  readonly open: readonly LearnedRule[];
  /** Proposals that wait for a person. */
  readonly staged: readonly Review[];
  /** Conversations that ended since a night last read some, if an agent's plugin counts them. */
  readonly ended?: number;
  /** The next step, in one sentence. Unlike a night's own sentence, it includes later decisions. */
  readonly headline: string;
  /** Every wish, oldest first, with the decisions since the last night. */
  readonly wishes: readonly Wish[];
  /** Whether each adopted wish has to be said less often now. */
  readonly helped: readonly string[];
}

export function sleepStatus(journalDir: string): SleepStatus {
  const consent = readConsent(journalDir);
  const state = syncState(stateFile(journalDir).read() ?? noNights, journalDir);
  const next = nextNight(state);
  const staged = listWaiting(journalDir);
  const ended = countEnded(journalDir);
  const failures = readFailures(journalDir);
  return {
    consent,
    nights: state.nights,
    ...(failures === undefined ? {} : { failures }),
    ...(pinnedFile(journalDir, next).read() === undefined ? {} : { unfinished: next }),
    open: state.rules.filter(({ status }) => status === "open"),
    staged,
    ...(ended === undefined ? {} : { ended }),
    headline: headlineOf(staged, state.nights.at(-1)),
    wishes: state.wishes,
    helped: helpedNotes(state),
  };
}

function headlineOf(staged: readonly Review[], last: NightRecord | undefined): string {
  const waiting = waitingOnce(staged).toSorted(
    (a, b) => Number(b.status === "proven") - Number(a.status === "proven"),
  );
  if (waiting.length > 0)
    return `${waiting.length === 1 ? "A rule waits" : `${waiting.length} rules wait`} for you: ${countByStatus(waiting)}.`;
  if (last === undefined) return "No night has finished yet.";
  return last.proposals.length === 0
    ? last.sentence
    : "Nothing is waiting for you: all proposals are decided.";
}
