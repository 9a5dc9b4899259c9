import { once } from "node:events";
import { availableParallelism } from "node:os";
import { openRedis, shownRedis } from "../../../adapters/fleet/open-redis.ts";
import { type FleetState, type LaneView, readFleet } from "../../../adapters/fleet/read-fleet.ts";
import { allowConnecting } from "../../../adapters/look-only.ts";
import type { SandboxChoice } from "../../../adapters/sandboxes/choose-sandbox.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { oneLine } from "../../../core/one-line.ts";
import { startWorker } from "../../../run/session/worker.ts";
import { flat, plural } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";

export interface WorkerFlags {
  readonly redis: string;
  readonly insecureRedis: boolean;
  readonly concurrency: number;
  readonly journal?: string;
  readonly allow?: readonly string[];
  readonly sandbox: SandboxChoice;
}

export interface FleetFlags {
  readonly redis: string;
  readonly insecureRedis: boolean;
  readonly json: boolean;
}

/** `whetstone worker` */
export async function workerCommand(flags: WorkerFlags, io: Io): Promise<void> {
  const { redis, concurrency } = flags;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new WhetstoneError("usage", "--concurrency must be a whole number, 1 or more.", {
      hint: `Calls mostly wait, so 64 isn't much. For agents it's capped by this machine's ${availableParallelism()} cores anyway.`,
    });
  }
  const worker = await startWorker({
    ...flags,
    onProblem: (sentence) => io.warn(oneLine(sentence, 2000)),
  });
  io.print(`${worker.id} takes units from ${shownRedis(redis)}, ${concurrency} at a time per model.`);
  io.print("On Ctrl-C, it finishes its current work and exits.");
  // agents take minutes, and work that has begun is paid for
  io.waitFor(() => worker.inHand() > 0, 600_000);
  if (!io.signal.aborted) await once(io.signal, "abort");
  await worker.drain();
}

/** `whetstone fleet` */
export async function fleetCommand({ redis: url, insecureRedis, json }: FleetFlags, io: Io): Promise<void> {
  // the address is always typed
  allowConnecting();
  const redis = await openRedis(url, { insecureRedis });
  try {
    const state = await readFleet(redis);
    if (json) return io.printJson(state);
    io.print(fleetLines(state, Date.now()).join("\n"));
  } finally {
    redis.disconnect();
  }
}

export function fleetLines({ workers, lanes, parked, unable }: FleetState, now: number): readonly string[] {
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  return [
    workers.length === 0
      ? `No workers are running${waiting === 0 ? "" : `, and ${waiting} units are waiting`}: start \`whetstone worker\`.`
      : plural(workers.length, "worker"),
    ...workers
      .toSorted((a, b) => a.id.localeCompare(b.id))
      .map(
        ({ id, pid, running, concurrency, since }) =>
          `  ${id}  pid ${pid}  ${running} units in progress, ${concurrency} per model  for ${span(now - since)}`,
      ),
    "",
    lanes.length === 0 ? "No queues yet." : "Queues",
    ...lanes.flatMap(laneLines),
    ...(unable.length === 0 ? [] : ["", "Left to other workers"]),
    ...unable.map(
      ({ worker, run, lane, message }) => `  ${worker}  ${lane} of run ${run.slice(0, 8)}: ${message}`,
    ),
    ...(parked.length === 0 ? [] : ["", "Parked: each one stopped too many workers"]),
    ...parked.map(({ run, cause, at }) => `  run ${run.slice(0, 8)}  ${cause} (${span(now - at)} ago)`),
  ].map(flat);
}

function laneLines(view: LaneView): readonly string[] {
  const { lane, inFlight, limit, waiting, later, lastMinute, pausedMs, down, oldest } = view;
  const facts = [
    `${inFlight} of ${limit} in flight`,
    `${waiting} waiting`,
    ...(later === 0 ? [] : [`${later} to retry`]),
    `${lastMinute} in the last minute`,
    ...(pausedMs === 0 ? [] : [`paused for ${span(pausedMs)}`]),
  ];
  return [
    `  ${lane}  ${facts.join(", ")}`,
    ...(down === undefined ? [] : [`    down: ${down}`]),
    ...(oldest === undefined || oldest.ms < 60_000
      ? []
      : [
          `    ${oldest.kind} ${oldest.key.slice(0, 12)} of run ${oldest.run.slice(0, 8)} for ${span(oldest.ms)} on ${oldest.worker}`,
        ]),
  ];
}

function span(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
