import type { Meter, Tracer } from "@opentelemetry/api";

/** Addresses of an OTLP receiver, one per signal. */
export interface OtlpPlace {
  readonly traces: string;
  readonly metrics: string;
}

/** Takes spans and metrics. */
export interface TelemetryBackend {
  readonly tracer: Tracer;
  readonly meter: Meter;
  /** Sends what is left; says in sentences what did not arrive. */
  close(): Promise<readonly string[]>;
}
