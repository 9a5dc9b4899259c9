import { expect, test } from "vitest";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import { systemClock } from "../../run/session/system-clock.ts";
import { attempt } from "./attempt.ts";
import type { UnitHandler } from "./handlers.ts";
import { readLedger } from "./ledger.ts";
import { type Cost, noCost } from "../cost.ts";
import { InfraError } from "../errors.ts";
import { createSpend } from "./spend.ts";

const worst: Cost = { nanoUsd: 100, tokens: 50, calls: 1 };
const real: Cost = { nanoUsd: 10, tokens: 5, calls: 1 };
const key = "a".repeat(64);

/** A process that died `deaths` times over the call, and one that ends it; the cap leaves room for one of them. */
async function endAfter(deaths: number, resumes: boolean, usd: number) {
  const journal = await memoryJournal();
  for (let death = 0; death < deaths; death += 1)
    await journal.write({ kind: "intent", run: "r", key, name: "", body: { worst: { ...worst } } });
  const before = await readLedger(journal.read({ run: "r" }));
  const spend = createSpend({ caps: { usd }, already: before.spent, elapsedMs: () => 0 });
  const handler: UnitHandler = {
    kind: "x",
    version: 1,
    lane: () => "x",
    worst: () => worst,
    resumes: () => resumes,
    run: async () => ({ output: "ok", cost: real }),
  };
  const unit = { kind: "x", version: 1, input: null, draw: { purpose: "train", trial: 0 } } as const;
  const place = { role: "target", step: 1, stage: "rollout" } as const;
  const { signal } = new AbortController();
  const lost = new Map(before.lostByKey);
  await attempt(unit, handler, { key, place, signal }, 1, {
    run: "r",
    journal,
    spend,
    clock: systemClock,
    lost,
  });
  const after = await readLedger(journal.read({ run: "r" }));
  return { before, after, spent: spend.spent() };
}

test("a call that is gone on with is booked once, whatever died over it, and fits under the cap it fitted under", async () => {
  for (const deaths of [0, 1, 3]) {
    const { before, after, spent } = await endAfter(deaths, true, 100e-9);
    expect(before.lost).toBe(deaths);
    expect(after).toMatchObject({ spent: real, lost: 0, results: 1 });
    expect(spent).toEqual(real);
  }
});

test("any other call that died stays booked at worst case", async () => {
  const { after, spent } = await endAfter(1, false, 1);
  expect(after).toMatchObject({ lost: 1, spent: { nanoUsd: 110, tokens: 55, calls: 2 } });
  expect(spent).toEqual(after.spent);
});

async function bookedAfter(isNear: boolean, bound: Cost) {
  const journal = await memoryJournal();
  const spend = createSpend({ caps: {}, already: noCost, elapsedMs: () => 0 });
  const handler: UnitHandler = {
    kind: "x",
    version: 1,
    lane: () => "x",
    worst: () => bound,
    isNear: () => isNear,
    run: async () => {
      throw new InfraError("transport", "No answer within 600 s.", { billed: "unknown", isLate: true });
    },
  };
  const unit = { kind: "x", version: 1, input: null, draw: { purpose: "train", trial: 0 } } as const;
  const place = { role: "target", step: 1, stage: "rollout" } as const;
  const { signal } = new AbortController();
  const call = { key, place, signal, mostTokens: () => 7 };
  await attempt(unit, handler, call, 1, { run: "r", journal, spend, clock: systemClock }).catch(() => {});
  const { spent } = await readLedger(journal.read({ run: "r" }));
  expect(spend.spent()).toEqual(spent);
  return spent;
}

test("a try that was given up is booked at what a free server on this machine can have done; else at worst case", async () => {
  const free: Cost = { nanoUsd: 0, tokens: 50, calls: 1 };
  expect(await bookedAfter(true, free)).toEqual({ nanoUsd: 0, tokens: 7, calls: 1 });
  expect(await bookedAfter(true, { ...free, tokens: 5 })).toMatchObject({ tokens: 5 });
  expect(await bookedAfter(false, free)).toEqual(free);
  // somebody sells what this server passes on
  expect(await bookedAfter(true, worst)).toEqual(worst);
});
