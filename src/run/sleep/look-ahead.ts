import { readConsent } from "./consent.ts";
import { type Gathered, gather, openRedactor } from "./pin-night.ts";
import { type PlaceOptions, openPlace } from "./place.ts";
import { noNights, stateFile } from "./state.ts";

/** What the next night would read, redacted as it would be. Nothing is written, nothing is sent, no cursor moves. */
export async function lookAhead(options: PlaceOptions): Promise<Gathered> {
  const place = openPlace(options);
  const consent = readConsent(place.journalDir);
  const state = stateFile(place.journalDir).read() ?? noNights;
  return gather(place, consent, state, await openRedactor(place), Date.now());
}
