import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from "../../../test/support/otlp-receiver.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { type RedisServer, startRedis } from "../../../test/support/start-redis.ts";
import { evaluate } from "../verbs/evaluate.ts";
import { judgeModule, openOffice } from "../../../test/support/office-config.ts";
import { startWorker } from "./worker.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.end());

async function receive(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

async function office() {
  const { server, options } = await openOffice();
  const there = { journal: await tempDir(), executor: "bullmq", redis: redis.url } as const;
  return { server, options: { ...options, ...there } };
}

/** A run with telemetry of its own, on one worker with telemetry; both have ended. */
async function evaluateOn(
  config: Parameters<typeof evaluate>[0],
  ofRun?: OtlpReceiver,
  allow: readonly string[] = [],
) {
  const receiver = await receive();
  const worker = await startWorker({
    redis: redis.url,
    concurrency: 8,
    allow: ["host=127.0.0.1", ...allow],
    telemetry: { otlp: receiver.place },
  });
  const root = ofRun?.place.traces.replace("/v1/traces", "");
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", root);
  try {
    const run = await evaluate({ ...config, ...(ofRun === undefined ? {} : { telemetry: true }) });
    return { run, receiver };
  } finally {
    vi.unstubAllEnvs();
    await worker.drain();
  }
}

const idOf = ({ id }: ReceivedSpan): string => id;
const keyOf = ({ attributes }: ReceivedSpan): unknown => attributes["whetstone.key"];
const total = (receiver: OtlpReceiver, metric: string): number =>
  receiver.points(metric).reduce((sum, { value, count = value }) => sum + count, 0);

test("each try on a worker is a span inside the stage that asked for it, in the run's own trace", async () => {
  const { server, options } = await office();
  server.faults = (key, attempt) => (attempt === 1 && /^[0-3]/.test(key) ? "503" : undefined);
  const ofRun = await receive();
  const { run, receiver } = await evaluateOn(options, ofRun);
  const failed = server.calls.filter(({ fault }) => fault !== undefined).length;
  expect(failed).toBeGreaterThan(0);

  const tries = receiver.spans;
  expect(tries).toHaveLength(server.callCount);
  expect(tries.filter((span) => span.failed)).toHaveLength(failed);
  expect(
    new Set(tries.filter((span) => span.failed).map(({ attributes }) => attributes["error.type"])),
  ).toEqual(new Set(["transport"]));
  const units = ofRun.spans.filter((span) => keyOf(span) !== undefined);
  expect(new Set(tries.map(keyOf))).toEqual(new Set(units.map(keyOf)));
  expect(new Set([...tries, ...ofRun.spans].map(({ trace }) => trace)).size).toBe(1);
  const stages = new Map(ofRun.spans.map((span) => [span.id, span.name]));
  for (const { parent, attributes } of tries)
    expect([attributes["whetstone.stage"], "whetstone eval"]).toContain(stages.get(parent ?? ""));
  expect(tries.some(({ parent }) => stages.get(parent ?? "") === "baseline")).toBe(true);
  expect(tries[0]).toMatchObject({
    name: "generate office/target",
    attributes: { "whetstone.run": run.id, "whetstone.lane": "office/target" },
  });

  expect(total(receiver, "whetstone.worker.tries")).toBe(server.callCount);
  expect(total(receiver, "whetstone.worker.try.duration")).toBe(server.callCount);
  expect(receiver.points("whetstone.worker.active")).toMatchObject([{ value: 0 }]);
  // what the run counts already is not counted again
  expect(receiver.bodies.join()).not.toContain("gen_ai");
  expect(total(ofRun, "gen_ai.client.operation.duration")).toBe(server.callCount);
});

test("calls of an environment, which the worker itself asks for, are in the trace too", async () => {
  const { server, options } = await office();
  const module = await judgeModule();
  const ofRun = await receive();
  const own = { ...options, environment: `${module}#judge` };
  const { receiver } = await evaluateOn(own, ofRun, [`module=${module}`]);
  const calls = receiver.spans.filter(({ name }) => name === "generate office/target");
  expect(calls).toHaveLength(server.callCount);
  expect(receiver.spans.length).toBeGreaterThan(calls.length);
  expect(new Set([...receiver.spans, ...ofRun.spans].map(({ trace }) => trace)).size).toBe(1);
});

test("of a run without telemetry each try is a trace of its own that names the run", async () => {
  const { server, options } = await office();
  const { run, receiver } = await evaluateOn(options);
  expect(receiver.spans).toHaveLength(server.callCount);
  expect(receiver.spans.filter(({ parent }) => parent)).toEqual([]);
  expect(new Set(receiver.spans.map(({ attributes }) => attributes["whetstone.run"]))).toEqual(
    new Set([run.id]),
  );
  expect(new Set(receiver.spans.map(idOf)).size).toBe(server.callCount);
});

test("without an SDK and without a receiver the worker does not start", async () => {
  await expect(startWorker({ redis: redis.url, concurrency: 1, telemetry: {} })).rejects.toMatchObject({
    code: "config-invalid",
    hint: expect.stringContaining("OTEL_EXPORTER_OTLP_ENDPOINT"),
  });
});
