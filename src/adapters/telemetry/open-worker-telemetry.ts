import type { Attributes, Context, ObservableResult } from "@opentelemetry/api";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { EndTry, WorkerTry } from "../fleet/fleet-worker.ts";
import { openBackend } from "./open-backend.ts";
import type { OtlpPlace } from "./telemetry-backend.ts";
import { readTraceParent } from "./trace-parent.ts";

/** Tells OpenTelemetry what one worker does, for all runs. */
export interface WorkerTelemetry {
  readonly beginTry: (one: WorkerTry) => EndTry;
  /** Where the last unit of a run belonged: what it asks for in turn belongs there too. */
  readonly traceOf: (run: string) => string | undefined;
  close(): Promise<void>;
}

/**
 * A span for each try, inside the stage of the run that asked for it, if that run has telemetry too. The run itself
 * tells of calls, tokens and money: here is only what it cannot see, so that nothing is counted twice.
 */
export async function openWorkerTelemetry(otlp: OtlpPlace | undefined): Promise<WorkerTelemetry> {
  const backend = await openBackend(otlp);
  const { api, tracer, meter } = backend;
  const tries = meter.createCounter("whetstone.worker.tries", {
    description: "Tries that this worker made",
    unit: "{try}",
  });
  const duration = meter.createHistogram("whetstone.worker.try.duration", {
    description: "How long one try took on its worker",
    unit: "s",
    advice: { explicitBucketBoundaries: Array.from({ length: 20 }, (_, nth) => 0.01 * 2 ** nth) },
  });
  const active = meter.createObservableGauge("whetstone.worker.active", {
    description: "Tries under way on this worker",
    unit: "{try}",
  });
  const traces = new Map<string, string>();
  let underWay = 0;
  const observeActive = (result: ObservableResult) => result.observe(underWay);
  active.addCallback(observeActive);

  function parentOf(trace: string | undefined): Context {
    const parent = trace === undefined ? undefined : readTraceParent(trace);
    return parent === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
  }

  return {
    beginTry({ worker, lane, nth, run, key, unit, place, trace }) {
      if (trace !== undefined) traces.set(run, trace);
      const about: Attributes = { "whetstone.lane": lane, "whetstone.unit": unit.kind };
      const attributes = {
        ...about,
        "whetstone.run": run,
        "whetstone.key": key,
        "whetstone.role": place.role,
        "whetstone.step": place.step,
        "whetstone.stage": place.stage,
        "whetstone.worker": worker,
        "whetstone.try": nth,
      };
      const kind = api.SpanKind.CONSUMER;
      const span = tracer.startSpan(`${unit.kind} ${lane}`, { kind, attributes }, parentOf(trace));
      const started = performance.now();
      underWay += 1;
      return (failure) => {
        underWay -= 1;
        const type = failure === undefined ? undefined : errorType(failure.error);
        const ended = { ...about, ...(type === undefined ? {} : { "error.type": type }) };
        tries.add(1, ended);
        duration.record((performance.now() - started) / 1000, ended);
        if (type !== undefined)
          span.setAttribute("error.type", type).setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
      };
    },
    traceOf: (run) => traces.get(run),
    async close() {
      const problems = await backend.close();
      active.removeCallback(observeActive);
      if (problems.length > 0) process.emitWarning(`Telemetry is incomplete: ${problems.join("; ")}`);
    },
  };
}

/** No message: a provider's error may quote a prompt. */
function errorType(error: unknown): string {
  if (error instanceof InfraError) return error.class;
  return error instanceof WhetstoneError ? error.code : "failed";
}
