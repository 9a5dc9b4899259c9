import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ProxyFacts, ProxyFailure } from "../sandboxes/model-proxy.ts";
import { claudeReader } from "./vendors/claude-events.ts";
import { watchRun } from "./watch-run.ts";

const limits = { turns: 9, calls: 9, tokens: 9e9, seconds: 60, memoryMb: 1, processes: 1, diskMb: 1 };
const nothing: ProxyFacts = {
  calls: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  waitedMs: 0,
  host: "127.0.0.1",
  heldMs: 0,
  failures: [],
  failuresInRow: 0,
  removed: [],
};

async function watch(facts: () => Partial<ProxyFacts>, { seconds = 60, answerMs = 60_000 } = {}) {
  const proxy = { facts: () => ({ ...nothing, ...facts() }) };
  using watching = watchRun({
    proxy,
    reader: claudeReader(),
    limits: { ...limits, seconds },
    answerMs,
    untilSkill: false,
    signal: new AbortController().signal,
  });
  await sleep(350);
  expect(watching.signal.aborted).toBe(watching.stopped() !== undefined);
  return watching.stopped();
}

const failed = (times: number, failure: Partial<ProxyFailure>): Partial<ProxyFacts> => ({
  failures: Array.from({ length: times }, () => ({
    class: "throttle",
    status: 529,
    message: "no",
    ...failure,
  })),
  failuresInRow: times,
});

test("active time runs out; time of the provider does not count", async () => {
  const started = performance.now();
  const [idle, waiting] = await Promise.all([
    watch(() => ({}), { seconds: 0.1 }),
    watch(() => ({ waitedMs: performance.now() - started }), { seconds: 0.1 }),
  ]);
  expect([idle, waiting]).toEqual(["time", undefined]);
});

test("an answer that never comes is given up, one after another answer is waited for", async () => {
  const started = performance.now();
  let calls = 0;
  const waitedMs = () => performance.now() - started;
  const [silent, slow] = await Promise.all([
    watch(() => ({ waitedMs: waitedMs() }), { answerMs: 150 }),
    watch(() => ({ waitedMs: waitedMs(), calls: (calls += 1) }), { answerMs: 150 }),
  ]);
  expect([silent, slow]).toEqual(["provider", undefined]);
});

test.each([
  ["a refused key", failed(1, { class: "refused", status: 401 }), "provider"],
  ["money", failed(1, { class: "money", status: 429 }), "provider"],
  ["an hour's Retry-After", failed(1, { retryAfterMs: 3_600_000 }), "provider"],
  ["three failures in a row", failed(3, {}), "provider"],
  ["two failures in a row", failed(2, {}), undefined],
  ["a bad request, which the CLI may mend", failed(3, { class: "refused", status: 400 }), undefined],
  ["failures that an answer followed", { ...failed(3, {}), failuresInRow: 0 }, undefined],
  ["a limit of the proxy", { limit: "tokens" } as const, "limit"],
])("%s", async (_what, facts, reason) => {
  expect(await watch(() => facts)).toBe(reason);
});
