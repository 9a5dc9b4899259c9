import { perform } from "../../run/verbs/perform.ts";
import { metrics, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { scriptedModels, scriptedRun } from "../../../test/support/scripted-run.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { RunEvent } from "../../core/events.ts";
import { trainVerb } from "../../run/verbs/train.ts";
import { type ScriptedServer, hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { memoryJournal } from "../journals/memory.ts";
import { forgetTelemetry, registerTelemetry } from "../../../test/support/register-telemetry.ts";
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from "../../../test/support/otlp-receiver.ts";

const world = hiddenRuleWorld({ seed: 3, rules: 6 });
const splits = world.splits({ train: 12, val: 8, test: 4 });
const policy = { backoffMs: 1, probeMs: 5 };

async function start(): Promise<ScriptedServer> {
  const server = await startScriptedServer({ seed: 3, world });
  onTestFinished(() => server.close());
  return server;
}

async function receive(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver();
  registerTelemetry(receiver.place);
  onTestFinished(async () => {
    forgetTelemetry();
    await receiver[Symbol.asyncDispose]();
  });
  return receiver;
}

async function runOn(server: ScriptedServer) {
  const dir = await tempDir();
  const resolved = scriptedRun({
    url: server.url,
    skill: world.seedSkill(2),
    splits,
    settings: { epochs: 1, batchSize: 6, minibatchSize: 3 },
    rest: { journalDir: dir, telemetry: true },
  });
  const journal = await memoryJournal();
  const events: RunEvent[] = [];
  const train = (rest: Partial<Resolved> = {}) =>
    perform(trainVerb({ ...resolved, ...rest }), { journal, policy, onEvent: (event) => events.push(event) });
  return { events, train };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const boughtOf = (events: readonly RunEvent[]) =>
  events.filter((event) => event.type === "unit-end").filter(({ from }) => from === "provider");
const isUnit = ({ attributes }: ReceivedSpan): boolean => attributes["whetstone.key"] !== undefined;

test("a run is one trace: the run, its stages and each bought unit, with tokens, money and retries", async () => {
  const [server, receiver] = [await start(), await receive()];
  // the second kind may have been charged, so it is booked at its worst
  const faults = { "0": "503", "1": "cut" } as const;
  server.faults = (key, attempt) =>
    attempt === 1 ? faults[key.slice(0, 1) as keyof typeof faults] : undefined;
  const { events, train } = await runOn(server);
  const { id, spent } = await train();
  const bought = boughtOf(events);
  const used = sum(bought.map(({ cost }) => cost.tokens));
  expect(spent.tokens).toBeGreaterThan(used);
  const failed = server.calls.filter(({ fault }) => fault !== undefined).length;
  expect(failed).toBeGreaterThan(0);

  const [run, ...others] = receiver.spans.filter(({ parent }) => !parent);
  expect(others).toEqual([]);
  expect(new Set(receiver.spans.map((span) => span.trace)).size).toBe(1);
  expect(run).toMatchObject({
    name: "whetstone train",
    failed: false,
    attributes: {
      "whetstone.run": id,
      "whetstone.model.target": scriptedModels.target,
      "whetstone.calls": spent.calls,
      "whetstone.usd": spent.nanoUsd / 1e9,
    },
  });
  expect(run?.events.map(({ name }) => name)).toEqual(["step-end", "step-end"]);

  const stages = receiver.spans.filter((span) => span.parent === run?.id && !isUnit(span));
  expect(stages.map(({ name }) => name).toSorted()).toEqual(
    events.flatMap((event) => (event.type === "stage-end" ? [event.stage] : [])).toSorted(),
  );

  const units = receiver.spans.filter(isUnit);
  expect(units.map(({ attributes }) => String(attributes["whetstone.key"])).toSorted()).toEqual(
    bought.map(({ key }) => key).toSorted(),
  );
  const stageIds = new Map(stages.map((span) => [span.id, span.name]));
  const inStages = units.filter(({ parent }) => stageIds.has(parent ?? ""));
  for (const { parent, attributes } of inStages)
    expect(stageIds.get(parent ?? "")).toBe(attributes["whetstone.stage"]);
  // the others were asked while their stage had not begun, or had ended
  expect(inStages.length).toBe(countInStages(events));
  expect(inStages.length).toBeGreaterThan(units.length / 2);
  const target = units.find(({ attributes }) => attributes["whetstone.role"] === "target");
  expect(target).toMatchObject({
    name: "chat target-1",
    kind: 3,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "target-1",
      "gen_ai.response.finish_reasons": ["stop"],
    },
  });
  const tokens = units.map(
    ({ attributes: of }) =>
      Number(of["gen_ai.usage.input_tokens"]) + Number(of["gen_ai.usage.output_tokens"]),
  );
  expect(sum(tokens)).toBe(used);
  expect(units.flatMap(({ events: of }) => of).map(({ attributes }) => attributes["error.type"])).toEqual(
    Array<string>(failed).fill("transport"),
  );

  const total = (metric: string) => sum(receiver.points(metric).map(({ value }) => value));
  const count = (metric: string) => sum(receiver.points(metric).map((point) => point.count ?? 0));
  expect(total("whetstone.spend")).toBeCloseTo(spent.nanoUsd / 1e9, 9);
  expect(total("whetstone.retries")).toBe(failed);
  expect(total("gen_ai.client.token.usage")).toBe(used);
  expect(count("gen_ai.client.operation.duration")).toBe(server.callCount);
  const bySource = receiver
    .points("whetstone.units")
    .filter(({ attributes }) => attributes["whetstone.outcome"] === "bought");
  expect(sum(bySource.map(({ value }) => value))).toBe(bought.length);
  expect(receiver.points("whetstone.units.active")).toMatchObject([{ value: 0 }]);
});

test("what models were asked and said is in nothing that is sent, nor are messages of errors", async () => {
  const [server, receiver] = [await start(), await receive()];
  server.faults = (key, attempt) => (attempt === 1 && key.startsWith("0") ? "503" : undefined);
  const { events, train } = await runOn(server);
  await train();
  const sent = receiver.bodies.join("\n");
  const said = server.calls.flatMap(({ request, answer }) => [
    request.system,
    ...request.messages.map(({ content }) => content),
    answer?.text ?? "",
  ]);
  const lines = new Set(said.flatMap((text) => text.split("\n")).filter((line) => line.length >= 12));
  expect(lines.size).toBeGreaterThan(50);
  expect([...lines].filter((line) => sent.includes(line))).toEqual([]);
  const messages = events.flatMap((event) => (event.type === "try-failed" ? [event.message] : []));
  expect(messages.length).toBeGreaterThan(0);
  expect(messages.filter((message) => sent.includes(message))).toEqual([]);
});

test("a run that is stopped says why, and so does the call that stopped it", async () => {
  const [server, receiver] = [await start(), await receive()];
  server.faults = (key) => (/^[0-3]/.test(key) ? "401" : undefined);
  const { train } = await runOn(server);
  await expect(train()).rejects.toMatchObject({ code: "provider-refused" });
  const run = receiver.spans.find(({ parent }) => !parent);
  expect(run).toMatchObject({ failed: true, attributes: { "error.type": "provider-refused" } });
  const refused = receiver.spans.filter((span) => span.attributes["error.type"] === "refused");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ failed: true, attributes: { "gen_ai.operation.name": "chat" } });
});

test("a finished run that is read again has no units, and is counted as read", async () => {
  const server = await start();
  await receive();
  const { train } = await runOn(server);
  await train();
  const again = await receive();
  await train();
  expect(again.spans.filter(isUnit)).toEqual([]);
  expect(again.points("whetstone.units").map(({ attributes }) => attributes["whetstone.outcome"])).toContain(
    "journal",
  );
  expect(again.points("whetstone.spend")).toEqual([]);
});

test("an SDK that the process has registered is used, and outlives the run", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  onTestFinished(() => {
    trace.disable();
    metrics.disable();
  });
  const server = await start();
  const { events, train } = await runOn(server);
  await train();
  const bought = boughtOf(events);
  const names = exporter.getFinishedSpans().map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("chat "))).toHaveLength(bought.length);
  expect(names).toContain("whetstone train");
  provider.getTracer("theirs").startSpan("later").end();
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toContain("later");
});

test("without an SDK the run is refused before its first call", async () => {
  const server = await start();
  const { train } = await runOn(server);
  await expect(train()).rejects.toMatchObject({
    code: "config-invalid",
    hint: expect.stringContaining(
      "NODE_OPTIONS='--import @opentelemetry/auto-instrumentations-node/register'",
    ),
  });
  expect(server.callCount).toBe(0);
});

/** Units whose stage was open when they were first tried. */
function countInStages(events: readonly RunEvent[]): number {
  const open = new Set<string>();
  const seen = new Set<string>();
  let inside = 0;
  for (const event of events) {
    if (event.type === "stage-start") open.add(`${event.step} ${event.stage}`);
    if (event.type === "stage-end") open.delete(`${event.step} ${event.stage}`);
    if (event.type !== "try-start" || seen.has(event.key)) continue;
    seen.add(event.key);
    if (open.has(`${event.step} ${event.stage}`)) inside += 1;
  }
  return inside;
}
