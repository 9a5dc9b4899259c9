import type { ObservableResult } from "@opentelemetry/api";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { observeRun } from "./observe-run.ts";
import { openBackend } from "./open-backend.ts";
import { runInstruments } from "./run-instruments.ts";

/** Reports a run to OpenTelemetry. Failures in it never affect the run. */
export interface Telemetry {
  add(event: RunEvent): void;
  close(): Promise<void>;
}

export async function openTelemetry(journal: Pick<Journal, "get">): Promise<Telemetry> {
  const backend = await openBackend();
  const instruments = runInstruments(backend.meter);
  const observer = observeRun({ api: backend.api, tracer: backend.tracer, instruments, journal });
  const problems: string[] = [];

  const observeActive = (result: ObservableResult) => result.observe(observer.active());
  instruments.active.addCallback(observeActive);

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
      await backend.flush();
      instruments.active.removeCallback(observeActive);
      if (problems.length > 0) process.emitWarning(`Telemetry is incomplete: ${problems.join("; ")}`);
    },
  };
}
