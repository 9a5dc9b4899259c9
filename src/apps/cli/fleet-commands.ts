import { once } from "node:events";
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { openRedis, withoutPassword } from "../../adapters/fleet/open-redis.ts";
import { type FleetState, type LaneView, readFleet } from "../../adapters/fleet/read-fleet.ts";
import { defaultRedis } from "../../config/fleet-settings.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { startWorker } from "../../run/worker.ts";
import type { Io } from "./io.ts";

interface WorkerFlags {
  readonly redis: string;
  readonly concurrency: number;
  readonly journal?: string;
}

/** `whetstone worker` and `whetstone fleet`: many machines. */
export function addFleetCommands(program: Command, io: Io, readNumber: (value: string) => number): void {
  program
    .command("worker")
    .description('run units for runs with executor "bullmq", on this machine, until Ctrl-C')
    .option("--redis <url>", "where workers and coordinators meet", defaultRedis)
    .option("--concurrency <n>", "units at a time, per model", readNumber, 64)
    .option("--journal <place>", "another address of the shared journal, such as one with a password")
    .action(async (flags: WorkerFlags) => workerCommand(flags, io));
  program
    .command("fleet")
    .description("workers, queues, limits, rates and what is stuck")
    .option("--redis <url>", "where workers and coordinators meet", defaultRedis)
    .option("--json", "print it as JSON", false)
    .action(async (flags: { readonly redis: string; readonly json: boolean }) => fleetCommand(flags, io));
}

async function workerCommand({ redis, concurrency, journal }: WorkerFlags, io: Io): Promise<void> {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new WhetstoneError("usage", "--concurrency must be a whole number, 1 or more.", {
      hint: `Calls wait more than they work: 64 is little; for agents it is capped by this machine's ${availableParallelism()} cores anyway.`,
    });
  }
  const worker = await startWorker({
    redis,
    concurrency,
    journal,
    onProblem: (sentence) => io.warn(sentence),
  });
  io.print(`${worker.id} takes units from ${withoutPassword(redis)}, ${concurrency} at a time per model.`);
  io.print("Ctrl-C: it finishes what it has begun, and leaves.");
  if (!io.signal.aborted) await once(io.signal, "abort");
  await worker.drain();
}

async function fleetCommand(
  { redis: url, json }: { readonly redis: string; readonly json: boolean },
  io: Io,
): Promise<void> {
  const redis = await openRedis(url);
  try {
    const state = await readFleet(redis);
    if (json) return io.print(JSON.stringify(state));
    io.print(fleetLines(state, Date.now()).join("\n"));
  } finally {
    redis.disconnect();
  }
}

export function fleetLines({ workers, lanes, parked }: FleetState, now: number): readonly string[] {
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  return [
    workers.length === 0
      ? `No worker is there${waiting === 0 ? "" : `, and ${waiting} units wait`}: start \`whetstone worker\`.`
      : `${workers.length} workers`,
    ...workers
      .toSorted((a, b) => a.id.localeCompare(b.id))
      .map(
        ({ id, pid, running, concurrency, since }) =>
          `  ${id}  pid ${pid}  ${running} units in hand, ${concurrency} per model  for ${span(now - since)}`,
      ),
    "",
    lanes.length === 0 ? "No queue yet." : "Queues",
    ...lanes.flatMap(laneLines),
    ...(parked.length === 0 ? [] : ["", "Parked: each ended too many workers"]),
    ...parked.map(({ run, cause, at }) => `  run ${run.slice(0, 8)}  ${cause} (${span(now - at)} ago)`),
  ];
}

function laneLines(view: LaneView): readonly string[] {
  const { lane, inFlight, limit, waiting, later, lastMinute, pausedMs, down, oldest } = view;
  const facts = [
    `${inFlight} of ${limit} in flight`,
    `${waiting} waiting`,
    ...(later === 0 ? [] : [`${later} to be tried again`]),
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
