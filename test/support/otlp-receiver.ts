import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Addresses, one for each signal. */
export interface OtlpPlace {
  readonly traces: string;
  readonly metrics: string;
}

export type Values = Readonly<Record<string, unknown>>;

export interface ReceivedSpan {
  readonly name: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly trace: string;
  /** 1 internal, 3 client. */
  readonly kind: number;
  readonly failed: boolean;
  readonly ms: number;
  readonly attributes: Values;
  readonly events: readonly { readonly name: string; readonly attributes: Values }[];
}

export interface ReceivedPoint {
  readonly attributes: Values;
  /** The value, or the sum of a histogram. */
  readonly value: number;
  /** Of a histogram. */
  readonly count: number | undefined;
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly place: OtlpPlace;
  readonly spans: readonly ReceivedSpan[];
  /** The last points of a metric, which is cumulative. */
  points(metric: string): readonly ReceivedPoint[];
  /** All that arrived, as it was sent. */
  readonly bodies: readonly string[];
}

/** A real receiver of OTLP over HTTP in JSON, on 127.0.0.1. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, readonly ReceivedPoint[]>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body) as Sent;
      for (const { spans: sent } of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
        spans.push(...sent.map(readSpan));
      for (const { metrics: sent } of resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics))
        for (const one of sent) metrics.set(one.name, readPoints(one));
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    place: { traces: `${root}/v1/traces`, metrics: `${root}/v1/metrics` },
    spans,
    points: (metric) => metrics.get(metric) ?? [],
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface SentValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface SentSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceId: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly SentValue[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly SentValue[] }[];
}

interface SentPoints {
  readonly dataPoints: readonly {
    readonly attributes: readonly SentValue[];
    readonly asInt?: number | string;
    readonly asDouble?: number;
    readonly sum?: number;
    readonly count?: number | string;
  }[];
}

interface SentMetric {
  readonly name: string;
  readonly sum?: SentPoints;
  readonly gauge?: SentPoints;
  readonly histogram?: SentPoints;
}

interface Sent {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly SentMetric[] }[];
  }[];
}

const readValues = (values: readonly SentValue[]): Values =>
  Object.fromEntries(values.map(({ key, value }) => [key, readValue(value)]));

function readValue(value: SentValue["value"]): unknown {
  const { arrayValue, intValue } = value;
  if (intValue !== undefined) return Number(intValue);
  if (arrayValue === undefined) return Object.values(value)[0];
  return (arrayValue as { readonly values: readonly SentValue["value"][] }).values.map(readValue);
}

const readSpan = (span: SentSpan): ReceivedSpan => ({
  name: span.name,
  id: span.spanId,
  parent: span.parentSpanId,
  trace: span.traceId,
  kind: span.kind,
  failed: span.status.code === 2,
  ms: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
  attributes: readValues(span.attributes),
  events: span.events.map(({ name, attributes }) => ({ name, attributes: readValues(attributes) })),
});

const readPoints = ({ sum, gauge, histogram }: SentMetric): readonly ReceivedPoint[] =>
  ((sum ?? gauge ?? histogram)?.dataPoints ?? []).map((point) => ({
    attributes: readValues(point.attributes),
    value: Number(point.asInt ?? point.asDouble ?? point.sum),
    count: point.count === undefined ? undefined : Number(point.count),
  }));
