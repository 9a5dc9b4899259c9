import { randomUUID } from "node:crypto";
import type { PushMetricExporter, ResourceMetrics } from "@opentelemetry/sdk-metrics";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { WhetstoneError } from "../../core/errors.ts";
import { installStep, loadPeer } from "../load-peer.ts";
import type { OtlpPlace, TelemetryBackend } from "./telemetry-backend.ts";

/** What `npm i` has to bring for it. */
export const otlpPackages = [
  "@opentelemetry/api",
  "@opentelemetry/sdk-trace",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/resources",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/exporter-metrics-otlp-http",
] as const;

const metricsEveryMs = 10_000;
/** Spans that wait to be sent; a burst beyond it is lost. */
const mostWaiting = 8192;

/** An SDK of our own, for this run alone: OTLP over HTTP in JSON. Headers and timeouts come from the usual OTEL_ variables. */
export async function otlpBackend(
  { traces, metrics }: OtlpPlace,
  scope: { readonly name: string; readonly version: string },
): Promise<TelemetryBackend> {
  const [trace, metric, resources, traceHttp, metricHttp] = await loadPackages();
  // cumulative metrics of two runs in one process must not be taken for one stream
  const own = { "service.name": "whetstone", "service.instance.id": randomUUID() };
  const given = resources.detectResources({ detectors: [resources.envDetector] });
  const resource = resources
    .resourceFromAttributes({ ...own, "service.version": scope.version })
    .merge(given);
  const problems = new Set<string>();
  const spans = { ended: 0, delivered: 0 };
  const counting = {
    onStart() {},
    onEnd() {
      spans.ended += 1;
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const exporter = noteEnds<ReadableSpan[], SpanExporter>(
    new traceHttp.OTLPTraceExporter({ url: traces }),
    (sent, error) => {
      if (error === undefined) spans.delivered += sent.length;
      else problems.add(notTaken(traces, error));
    },
  );
  const tracers = new trace.TracerProvider({
    resource,
    spanProcessors: [counting, new trace.BatchSpanProcessor({ exporter, maxQueueSize: mostWaiting })],
  });
  const meters = new metric.MeterProvider({
    resource,
    readers: [
      new metric.PeriodicExportingMetricReader({
        exporter: noteEnds<ResourceMetrics, PushMetricExporter>(
          new metricHttp.OTLPMetricExporter({ url: metrics }),
          (_, error) => error !== undefined && problems.add(notTaken(metrics, error)),
        ),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: metricsEveryMs,
      }),
    ],
  });
  return {
    tracer: tracers.getTracer(scope.name, scope.version),
    meter: meters.getMeter(scope.name, scope.version),
    async close() {
      await Promise.allSettled([tracers.shutdown(), meters.shutdown()]);
      const lost = spans.ended - spans.delivered;
      return lost === 0 ? [...problems] : [`${lost} of ${spans.ended} spans are lost`, ...problems];
    },
  };
}

const loadPackages = () =>
  nameAllPackages(() =>
    Promise.all([
      loadPeer<typeof import("@opentelemetry/sdk-trace")>("@opentelemetry/sdk-trace"),
      loadPeer<typeof import("@opentelemetry/sdk-metrics")>("@opentelemetry/sdk-metrics"),
      loadPeer<typeof import("@opentelemetry/resources")>("@opentelemetry/resources"),
      loadPeer<typeof import("@opentelemetry/exporter-trace-otlp-http")>(
        "@opentelemetry/exporter-trace-otlp-http",
      ),
      loadPeer<typeof import("@opentelemetry/exporter-metrics-otlp-http")>(
        "@opentelemetry/exporter-metrics-otlp-http",
      ),
    ]),
  );

/** Nobody wants to be told of one missing package after the other. */
export async function nameAllPackages<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof WhetstoneError) || error.code !== "peer-missing") throw error;
    throw new WhetstoneError("peer-missing", error.message, { hint: installStep(otlpPackages) });
  }
}

const notTaken = (url: string, error: Error): string => `${new URL(url).host}: ${error.message}`;

interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** The SDK keeps to itself how exports ended; here they are told. */
function noteEnds<Items, Kind extends Exporter<Items>>(
  exporter: Kind,
  tell: (items: Items, error: Error | undefined) => void,
): Kind {
  const send = exporter.export.bind(exporter);
  exporter.export = (items: Items, done) =>
    send(items, (result) => {
      tell(items, result.code === 0 ? undefined : (result.error ?? new Error("no cause is given")));
      done(result);
    });
  return exporter;
}
