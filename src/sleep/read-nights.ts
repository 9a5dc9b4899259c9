import { join } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import { addCost, noCost } from "../core/cost.ts";
import { type NightOverview, reportVersion } from "../report/model.ts";
import { readIfThere } from "../run/offer/live-skill.ts";
import { nightFolder } from "./night/pin-night.ts";
import { syncState } from "./night/sync-rules.ts";
import { helpedNotes } from "./night/wish-notes.ts";
import { type NightRecord, noNights, stateFile } from "./state.ts";

/** The finished nights, latest first. */
export const readNights = (journalDir: string): readonly NightOverview[] =>
  (stateFile(journalDir).read() ?? noNights).nights.map(overviewOf).toReversed();

/** Whether each adopted wish has to be said less often now, one sentence each. */
export const readHelped = (journalDir: string): readonly string[] =>
  helpedNotes(syncState(stateFile(journalDir).read() ?? noNights, journalDir));

function overviewOf(night: NightRecord): NightOverview {
  const { models: _models, cost, ...facts } = night;
  return { v: reportVersion, ...facts, cost: Object.values(cost).reduce(addCost, noCost) };
}

/** A night's report for a person; empty if it had nothing to report or the report is no longer kept. */
export function readNightReport(journalDir: string, id: string): string {
  const night = readNights(journalDir).find((one) => one.id === id);
  if (night === undefined) {
    throw new WhetstoneError("not-found", `Night ${id} doesn't exist.`, {
      hint: "`whetstone sleep status` lists them.",
    });
  }
  return readIfThere(join(nightFolder(journalDir, night.id), "report.md"))?.toString() ?? "";
}
