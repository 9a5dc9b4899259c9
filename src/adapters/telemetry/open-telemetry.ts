import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { ObservableResult } from "@opentelemetry/api";
import { WhetstoneError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { loadPeer } from "../load-peer.ts";
import { observeRun } from "./observe-run.ts";
import { nameAllPackages, otlpBackend } from "./otlp-backend.ts";
import { openQueueDepths } from "./queue-depth.ts";
import { registeredBackend } from "./registered-backend.ts";
import { runInstruments } from "./run-instruments.ts";
import type { OtlpPlace, TelemetryBackend } from "./telemetry-backend.ts";

export interface TelemetryOptions {
  /** For a process in which nobody has registered an SDK. */
  readonly otlp?: OtlpPlace | undefined;
  readonly journal: Pick<Journal, "get">;
  /** Of the fleet, whose queues are measured. */
  readonly redis?: string | undefined;
}

/** Tells OpenTelemetry of a run. Nothing that goes wrong in it touches the run. */
export interface Telemetry {
  add(event: RunEvent): void;
  close(): Promise<void>;
}

/** Long enough for a Redis that answers; one that is away must not hold up the other figures. */
const queueMs = 2000;

export async function openTelemetry({ otlp, journal, redis }: TelemetryOptions): Promise<Telemetry> {
  const api = await nameAllPackages(() =>
    loadPeer<typeof import("@opentelemetry/api")>("@opentelemetry/api"),
  );
  const { version } = createRequire(import.meta.url)("whetstone/package.json") as { version: string };
  const scope = { name: "whetstone", version };
  const backend = registeredBackend(api, scope) ?? (await ownBackend(otlp, scope));
  const queues =
    redis === undefined
      ? undefined
      : await openQueueDepths(redis).catch(async (error) => {
          await backend.close();
          throw error;
        });
  const instruments = runInstruments(backend.meter);
  const observer = observeRun({ api, tracer: backend.tracer, instruments, journal });
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

async function ownBackend(
  otlp: OtlpPlace | undefined,
  scope: { readonly name: string; readonly version: string },
): Promise<TelemetryBackend> {
  if (otlp !== undefined) return otlpBackend(otlp, scope);
  throw new WhetstoneError(
    "config-invalid",
    '"telemetry" is on, but nobody listens: no OpenTelemetry SDK is registered in this process.',
    {
      hint: "Set OTEL_EXPORTER_OTLP_ENDPOINT, such as http://127.0.0.1:4318, or leave telemetry off.",
    },
  );
}
