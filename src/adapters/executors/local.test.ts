import { expect, test } from "vitest";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import { type UnitHandler, createHandlers } from "../../core/work/handlers.ts";
import { readLedger } from "../../core/work/ledger.ts";
import type { Executed } from "../../core/ports/executor.ts";
import { type Cost, noCost } from "../../core/cost.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { createSpend } from "../../core/work/spend.ts";
import { unitKey } from "../../core/work/unit.ts";
import { systemClock } from "../../run/session/system-clock.ts";
import { memoryJournal } from "../journals/memory.ts";
import { localExecutor } from "./local.ts";

const worst: Cost = { nanoUsd: 100, tokens: 10, calls: 1 };
const actual: Cost = { nanoUsd: 30, tokens: 3, calls: 1 };

/** Answers each try in turn: an error is thrown, anything else is the output. */
async function open(script: readonly (string | Error)[]) {
  const journal = await memoryJournal();
  const stopping = new AbortController();
  let tries = 0;
  const handler: UnitHandler = {
    kind: "echo",
    version: 1,
    lane: () => "test/echo",
    worst: () => worst,
    async run() {
      const answer = script[Math.min(tries, script.length - 1)];
      tries += 1;
      if (answer instanceof Error) throw answer;
      return { output: answer ?? null, cost: actual };
    },
  };
  const spend = createSpend({ caps: {}, already: noCost, elapsedMs: () => 0 });
  const executor = localExecutor({
    run: "r",
    journal,
    spend,
    clock: systemClock,
    handlers: createHandlers([handler]),
    emit: () => {},
    concurrency: 4,
    signal: stopping.signal,
    hardSignal: new AbortController().signal,
    stop: (error) => stopping.abort(error),
    policy: { backoffMs: 2, probeMs: 5 },
  });
  const unit = { kind: "echo", version: 1, input: "x", draw: { purpose: "train", trial: 0 } } as const;
  const place = { role: "target", step: 1, stage: "rollout" } as const;
  const execute = (): Promise<Executed> => executor.execute({ unit, key: unitKey(unit), place });
  return { journal, spend, stopping, execute, calls: () => tries };
}

const kinds = async (journal: Journal) => {
  const seen: string[] = [];
  for await (const entry of journal.read()) seen.push(entry.kind);
  return seen;
};

test("a call leaves its intent, then its result, and settles what it cost", async () => {
  const { journal, spend, execute } = await open(["ok"]);
  expect(await execute()).toMatchObject({ output: "ok", cost: actual, tries: 1 });
  expect(await kinds(journal)).toEqual(["intent", "result"]);
  expect(spend.spent()).toEqual(actual);
});

test("a throttled call is tried again, and the failure costs a call but no money", async () => {
  const { journal, spend, execute } = await open([
    new InfraError("throttle", "slow", { retryAfterMs: 1 }),
    "ok",
  ]);
  expect(await execute()).toMatchObject({ output: "ok", tries: 2 });
  expect(await kinds(journal)).toEqual(["intent", "failure", "intent", "result"]);
  expect(spend.spent()).toEqual({ nanoUsd: 30, tokens: 3, calls: 2 });
});

test("a call whose outcome nobody knows is booked at worst case", async () => {
  const { journal, spend, execute } = await open([
    new InfraError("transport", "reset", { billed: "unknown" }),
    "ok",
  ]);
  await execute();
  expect(spend.spent()).toEqual({ nanoUsd: 130, tokens: 13, calls: 2 });
  expect((await readLedger(journal.read({ run: "r" }))).spent).toEqual(spend.spent());
});

test("after three tries the failure is the caller's", async () => {
  const { calls, execute } = await open([new InfraError("transport", "down")]);
  await expect(execute()).rejects.toThrow("down");
  expect(calls()).toBe(3);
});

test("what cannot succeed is tried once and stops the run", async () => {
  const { calls, stopping, execute } = await open([
    new InfraError("refused", "no such key", { status: 401 }),
  ]);
  await expect(execute()).rejects.toMatchObject({ code: "provider-refused", exitCode: 1 });
  expect(calls()).toBe(1);
  expect(stopping.signal.reason).toBeInstanceOf(WhetstoneError);
  await expect(execute()).rejects.toMatchObject({ code: "provider-refused" });
  expect(calls()).toBe(1);
});

test("the provider's spend limit has a code of its own", async () => {
  const { execute } = await open([new InfraError("money", "limit reached", { status: 429 })]);
  await expect(execute()).rejects.toMatchObject({ code: "provider-spend-limit", exitCode: 1 });
});
