import { expect, test } from "vitest";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import { systemClock } from "../../run/session/system-clock.ts";
import { agentUnit } from "./handle-units.ts";
import { attempt } from "./attempt.ts";
import { InfraError } from "../errors.ts";
import { readLedger } from "./ledger.ts";
import type { Agent, AgentCall, AgentRun } from "../ports/agent.ts";
import { type Cost, noCost } from "../cost.ts";
import { createSpend } from "./spend.ts";

const call = (tokens: number): Cost => ({ nanoUsd: tokens * 10, tokens, calls: 1 });
const done: AgentRun = {
  text: "ok",
  ended: "done",
  toolCalls: [],
  changed: {},
  skills: { offered: [], loaded: [] },
  conversation: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  calls: 0,
};

async function rollOnce(run: (call: AgentCall) => Promise<AgentRun>, caps = {}) {
  const agent: Agent = { id: "a/m", version: "1", parallel: 2, run: (_, made) => run(made) };
  const journal = await memoryJournal();
  const spend = createSpend({ caps, already: noCost, elapsedMs: () => 0 });
  const input = { agent: "a/m", version: "1", prompt: "", files: {}, skills: [], limits: {} };
  const unit = { kind: "agent", version: 1, input, draw } as const;
  const key = "a".repeat(64);
  const place = { role: "target", step: 1, stage: "rollout" } as const;
  const signal = new AbortController().signal;
  const executed = await attempt(unit, agentUnit(new Map([["a/m", agent]])), { key, place, signal }, 1, {
    run: "r",
    journal,
    spend,
    clock: systemClock,
  }).catch((error: unknown) => error as Error);
  return { executed, spent: spend.spent(), ledger: await readLedger(journal.read({ run: "r" })) };
}
const draw = { purpose: "train", trial: 0 } as const;

test("a rollout costs the sum of its calls, booked once", async () => {
  const { executed, spent, ledger } = await rollOnce(async ({ meter }) => {
    for (const tokens of [10, 20]) await (await meter.begin(call(100))).end(call(tokens));
    return done;
  });
  expect(executed).toMatchObject({ cost: { nanoUsd: 300, tokens: 30, calls: 2 } });
  expect(spent).toEqual({ nanoUsd: 300, tokens: 30, calls: 2 });
  expect(ledger).toMatchObject({ spent, results: 1, lost: 0 });
});

test("a run of an agent that counts wrongly is refused before it is recorded, and its calls stay booked", async () => {
  const { executed, ledger } = await rollOnce(async ({ meter }) => {
    await (await meter.begin(call(100))).end(call(10));
    return { ...done, usage: { inputTokens: Number.NaN, outputTokens: 1 } };
  });
  expect(executed).toMatchObject({
    code: "reply-invalid",
    message: 'The agent a/m returned "usage.inputTokens" as NaN; it must be a number of 0 or more.',
  });
  expect(ledger).toMatchObject({ spent: { tokens: 10 }, results: 0 });
});

test.each([
  ["skills", { skills: undefined }, '"skills" as undefined; it must be { offered, loaded }'],
  [
    "conversation",
    { conversation: [{ role: "user" }] },
    '"conversation.0.content" as undefined; it must be a string',
  ],
  ["changed", { changed: { "a.txt": 7 } }, '"changed.a.txt" as 7; it must be a string'],
])(
  "a run without its %s is refused by name: what reads it later would fail for ever",
  async (_, change, said) => {
    const { executed, ledger } = await rollOnce(async () => ({ ...done, ...change }) as never);
    expect(executed).toMatchObject({ code: "reply-invalid", message: `The agent a/m returned ${said}.` });
    expect(ledger.results).toBe(0);
  },
);

test("an agent that counts nothing has what its calls were booked at", async () => {
  const { executed } = await rollOnce(async ({ meter }) => {
    await (await meter.begin(call(100))).end(call(10));
    const { usage: _, ...uncounted } = done;
    return uncounted as never;
  });
  expect(executed).toMatchObject({
    output: { usage: { inputTokens: 10, outputTokens: 0, estimated: true } },
  });
});

test("what a failed rollout has spent stays booked", async () => {
  const { executed, spent, ledger } = await rollOnce(async ({ meter }) => {
    await (await meter.begin(call(100))).end(call(10));
    await (await meter.begin(call(50))).end("worst");
    throw new InfraError("transport", "the stream was cut");
  });
  expect(executed).toBeInstanceOf(InfraError);
  expect(spent).toEqual({ nanoUsd: 600, tokens: 60, calls: 2 });
  expect(ledger).toMatchObject({ spent, results: 0, lost: 0 });
});

test("a call that never ended is booked at its worst by whoever reads the journal", async () => {
  const { ledger } = await rollOnce(async ({ meter }) => {
    await meter.begin(call(70));
    return done;
  });
  expect(ledger).toMatchObject({ spent: { tokens: 70, calls: 1 }, lost: 1 });
});

test("a cap holds between the calls of one rollout", async () => {
  let made = 0;
  const { executed, spent } = await rollOnce(
    async ({ meter }) => {
      for (;;) {
        const begun = await meter.begin(call(100));
        made += 1;
        await begun.end(call(100));
      }
    },
    { tokens: 350 },
  );
  expect(executed).toMatchObject({ code: "spend-cap" });
  expect([made, spent.tokens]).toEqual([3, 300]);
});
