import type { Redactor } from "../../core/ports/redactor.ts";
import { readConsent } from "../consent.ts";
import type { Gathered } from "./gather.ts";
import { gatherTonight } from "./gather-tonight.ts";
import { openRedactor, stoppedNight } from "./pin-night.ts";
import { type PlaceOptions, type SleepPlace, openPlace } from "../place.ts";
import { type SleepState, noNights, stateFile } from "../state.ts";
import { sharingJournals } from "../memory/shared-wishes.ts";
import { syncState } from "./sync-rules.ts";

export interface LookedAhead extends Gathered {
  readonly place: SleepPlace;
  readonly state: SleepState;
  readonly redactor: Redactor;
}

/** The redacted material that the next night would read, or that the stopped night it resumes has read. Writes and sends nothing, and nothing counts as read. */
export async function lookAhead(options: PlaceOptions): Promise<LookedAhead> {
  const place = openPlace(options);
  const consent = readConsent(place.journalDir);
  const known = stateFile(place.journalDir).read() ?? noNights;
  const state = syncState(known, place.journalDir, sharingJournals(place.journalDir, consent));
  const redactor = await openRedactor(place);
  const input = { place, consent, state, redactor, now: Date.now() };
  const night = stoppedNight(place.journalDir, state, consent) ?? (await gatherTonight(input, options.cwd));
  return { ...night, place, state, redactor };
}
