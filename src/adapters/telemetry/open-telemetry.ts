import { setTimeout as sleep } from "node:timers/promises";
import type { ObservableResult } from "@opentelemetry/api";
import type { Place } from "../../core/place.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { observeRun } from "./observe-run.ts";
import { openBackend } from "./open-backend.ts";
import { openQueueDepths } from "./queue-depth.ts";
import { runInstruments } from "./run-instruments.ts";
import type { OtlpPlace } from "./telemetry-backend.ts";

export interface TelemetryOptions {
  /** For a process in which nobody has registered an SDK. */
  readonly otlp?: OtlpPlace;
  readonly journal: Pick<Journal, "get">;
  /** Of the fleet, whose queues are measured. */
  readonly redis?: string;
  /** Beyond this machine also without password or TLS. @default false */
  readonly insecureRedis?: boolean;
}

/** Tells OpenTelemetry of a run. Nothing that goes wrong in it touches the run. */
export interface Telemetry {
  add(event: RunEvent): void;
  /** The span that a unit belongs to, as text for whoever runs it elsewhere. */
  trace(place: Place): string | undefined;
  close(): Promise<void>;
}

/** Long enough for a Redis that answers; one that is away must not hold up the other figures. */
const queueMs = 2000;

export async function openTelemetry({
  otlp,
  journal,
  redis,
  insecureRedis,
}: TelemetryOptions): Promise<Telemetry> {
  const backend = await openBackend(otlp);
  const queues =
    redis === undefined
      ? undefined
      : await openQueueDepths(redis, { insecureRedis }).catch(async (error) => {
          await backend.close();
          throw error;
        });
  const instruments = runInstruments(backend.meter);
  const observer = observeRun({ api: backend.api, tracer: backend.tracer, instruments, journal });
  const problems: string[] = [];

  const observeActive = (result: ObservableResult) => result.observe(observer.active());
  const observeQueues = async (result: ObservableResult) => {
    const depths = await Promise.race([queues?.read(), sleep(queueMs, [], { ref: false })]).catch(() => []);
    for (const { lane, ...counts } of depths ?? [])
      for (const [state, count] of Object.entries(counts))
        result.observe(count, { "whetstone.lane": lane, "whetstone.queue.state": state });
  };
  instruments.active.addCallback(observeActive);
  if (queues !== undefined) instruments.queue.addCallback(observeQueues);

  return {
    add(event) {
      try {
        observer.add(event);
      } catch (error) {
        problems[0] ??= String(error);
      }
    },
    trace: (place) => observer.trace(place),
    async close() {
      await observer.close().catch((error: unknown) => problems.push(String(error)));
      problems.push(...(await backend.close()));
      instruments.active.removeCallback(observeActive);
      instruments.queue.removeCallback(observeQueues);
      queues?.close();
      if (problems.length > 0) process.emitWarning(`Telemetry is incomplete: ${problems.join("; ")}`);
    },
  };
}
