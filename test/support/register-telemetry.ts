import { metrics, trace } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { OtlpPlace } from "./otlp-receiver.ts";

/** Registers an SDK that sends to a receiver, in place of the one that was registered before. */
export function registerTelemetry(place: OtlpPlace): void {
  forgetTelemetry();
  const spans = new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: place.traces }) });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: place.metrics }),
    exportIntervalMillis: 60_000,
  });
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [spans] }));
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
}

export function forgetTelemetry(): void {
  trace.disable();
  metrics.disable();
}
