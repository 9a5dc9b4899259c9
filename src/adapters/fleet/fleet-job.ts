import type { Place } from "../../core/place.ts";
import { hashJson } from "../../core/canonical.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Unit } from "../../core/work/unit.ts";
import { type FleetSeal, type SealedText, openText } from "./fleet-seal.ts";

/** Units on their way to one worker: one, or the whole block of a claim. In Redis it is sealed. */
export interface FleetJob {
  /** BullMQ's id: under another one it is somebody's copy. */
  readonly id: string;
  readonly run: string;
  /** The hash of the settings that they need. */
  readonly settings: string;
  /** The queue that it is for. */
  readonly lane: string;
  /** Tries that it may have. */
  readonly tries: number;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly units: readonly FleetUnit[];
}

export interface FleetUnit {
  readonly key: string;
  readonly unit: Unit;
  readonly place: Place;
}

/** One job per run and units: budget and cancellation belong to a run, so two runs never share one. */
export const jobId = (run: string, keys: readonly string[]): string => `${run}-${keys.toSorted().join("+")}`;

/** The ids that its units would have in jobs of their own. */
export function unitIds(id: string): readonly string[] {
  const at = id.lastIndexOf("-");
  return id
    .slice(at + 1)
    .split("+")
    .map((key) => jobId(id.slice(0, at), [key]));
}

/** Longer than a unit waits in any queue; a copy is worth nothing once the run has its result, and never after this. */
const jobMs = 24 * 3_600_000;
/** The coordinator writes them down again every few seconds. */
const settingsMs = 600_000;
/** So far may the clocks of machines be apart. */
const skewMs = 300_000;

export const sealJob = (seal: FleetSeal, job: Omit<FleetJob, "expires">): SealedText =>
  seal.seal("job", JSON.stringify({ ...job, expires: Date.now() + jobMs }));

/** Why a worker does not do what it finds in Redis. */
export type JobRefusal = "unsigned" | "misplaced" | "expired" | "other-settings" | "used-up";

/** Not a unit's failure: nobody who knows the secret asked for this, here and now. */
export class RefusedJob extends Error {
  readonly refusal: JobRefusal;
  constructor(refusal: JobRefusal) {
    super(refusalWords[refusal]);
    this.refusal = refusal;
  }
}

export const refusalWords: Readonly<Record<JobRefusal, string>> = {
  unsigned:
    "It is not signed with this worker's fleet secret: another WHETSTONE_FLEET_SECRET, another version of whetstone, or somebody who can write to Redis and should not.",
  misplaced: "It was signed for another queue or under another name: somebody has copied it.",
  expired: "Its signature has expired: it is old, or the clocks of the machines are minutes apart.",
  "other-settings": "It belongs to other settings than the run has now.",
  "used-up": "It had all of its tries here.",
};

/** The job that a coordinator or worker of this fleet put there; throws `RefusedJob`. */
export function openJob(seal: FleetSeal, data: unknown, at: Pick<FleetJob, "id" | "lane">): FleetJob {
  const text = seal.open("job", data);
  if (text === undefined) throw new RefusedJob("unsigned");
  const job = JSON.parse(text) as FleetJob;
  if (job.id !== at.id || job.lane !== at.lane) throw new RefusedJob("misplaced");
  if (isPast(job.expires)) throw new RefusedJob("expired");
  return job;
}

/** What workers need to know of a run, as it stands in Redis. */
export interface SealedSettings {
  readonly run: string;
  readonly settings: JsonObject;
  readonly expires: number;
}

export const sealSettings = (seal: FleetSeal, run: string, settings: JsonObject): string => {
  const body: SealedSettings = { run, settings, expires: Date.now() + settingsMs };
  return JSON.stringify(seal.seal("settings", JSON.stringify(body)));
};

/** The settings of that run with that hash; throws `RefusedJob`. */
export function openSettings(
  seal: FleetSeal,
  json: string,
  { run, settings: hash }: Pick<FleetJob, "run" | "settings">,
): JsonObject {
  const text = openText(seal, "settings", json);
  if (text === undefined) throw new RefusedJob("unsigned");
  const body = JSON.parse(text) as SealedSettings;
  if (body.run !== run) throw new RefusedJob("misplaced");
  if (isPast(body.expires)) throw new RefusedJob("expired");
  if (hashJson(body.settings) !== hash) throw new RefusedJob("other-settings");
  return body.settings;
}

const isPast = (expires: number): boolean => !(expires + skewMs > Date.now());
