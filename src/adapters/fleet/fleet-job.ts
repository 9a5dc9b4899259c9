import type { Place } from "../../core/place.ts";
import { hashJson } from "../../core/canonical.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Unit } from "../../core/work/unit.ts";
import { type FleetSeal, type SealedText, openText } from "./fleet-seal.ts";

/** Units for one worker: a single one, or a claim's whole block. In Redis it is sealed. */
export interface FleetJob {
  /** BullMQ's id. Under another id it is somebody's copy. */
  readonly id: string;
  readonly run: string;
  /** The hash of the settings they need. */
  readonly settings: string;
  /** The queue it is meant for. */
  readonly lane: string;
  /** The number of tries it may have. */
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

/** The ids its units would have in jobs of their own. */
export function unitIds(id: string): readonly string[] {
  const at = id.lastIndexOf("-");
  return id
    .slice(at + 1)
    .split("+")
    .map((key) => jobId(id.slice(0, at), [key]));
}

/** Longer than a unit waits in any queue. A copy is worthless once the run has its result, and always after this. */
const jobMs = 24 * 3_600_000;
/** The coordinator renews them every few seconds. */
const settingsMs = 600_000;
/** How far apart the machines' clocks may be. */
const skewMs = 300_000;

export const sealJob = (seal: FleetSeal, job: Omit<FleetJob, "expires">): SealedText =>
  seal.seal("job", JSON.stringify({ ...job, expires: Date.now() + jobMs }));

/** Why a worker refuses a job it finds in Redis. */
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
    "It is not signed with this worker's fleet secret: another WHETSTONE_FLEET_SECRET, another version of whetstone, or somebody who shouldn't be able to write to Redis.",
  misplaced: "It was signed for another queue or under another name, so somebody copied it.",
  expired: "Its signature has expired. It is old, or the machines' clocks are minutes apart.",
  "other-settings": "Its settings differ from the run's current ones.",
  "used-up": "It has used up its tries here.",
};

/** The job that one of this fleet's coordinators or workers put there; throws `RefusedJob`. */
export function openJob(seal: FleetSeal, data: unknown, at: Pick<FleetJob, "id" | "lane">): FleetJob {
  const text = seal.open("job", data);
  if (text === undefined) throw new RefusedJob("unsigned");
  const job = JSON.parse(text) as FleetJob;
  if (job.id !== at.id || job.lane !== at.lane) throw new RefusedJob("misplaced");
  if (isPast(job.expires)) throw new RefusedJob("expired");
  return job;
}

/** A run's settings for workers, as stored in Redis. */
export interface SealedSettings {
  readonly run: string;
  readonly settings: JsonObject;
  readonly expires: number;
}

export const sealSettings = (seal: FleetSeal, run: string, settings: JsonObject): string => {
  const body: SealedSettings = { run, settings, expires: Date.now() + settingsMs };
  return JSON.stringify(seal.seal("settings", JSON.stringify(body)));
};

/** The run's settings with that hash; throws `RefusedJob`. */
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
