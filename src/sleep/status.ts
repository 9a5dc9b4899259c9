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
  /** The id of a night that was begun and not finished. */
  readonly unfinished?: string;
  /** Nights that failed since the last one that ended. */
  readonly failures?: Failures;
  /** Undecided, tested again on later nights. */
  readonly open: readonly LearnedRule[];
  /** What waits for a person. */
  readonly staged: readonly Review[];
  /** Conversations that ended since a night last read some, where an agent's plugin counts them. */
  readonly ended?: number;
  /** What is to be done now, in one sentence: a night's own sentence is older than what was decided since. */
  readonly headline: string;
  /** Every wish, oldest first, as decisions since the last night leave it. */
  readonly wishes: readonly Wish[];
  /** Of each wish that was adopted: whether it has to be said less often since. */
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
  if (last === undefined) return "No night has ended yet.";
  return last.proposals.length === 0
    ? last.sentence
    : "Nothing waits for you: all that was proposed is decided.";
}
