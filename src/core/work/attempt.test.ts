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

test("a call that a process died over stays booked at worst case, and the next try is booked too", async () => {
  const journal = await memoryJournal();
  await journal.write({ kind: "intent", run: "r", key, name: "", body: { worst: { ...worst } } });
  const before = await readLedger(journal.read({ run: "r" }));
  const spend = createSpend({ caps: {}, already: before.spent, elapsedMs: () => 0 });
  const handler: UnitHandler = {
    kind: "x",
    version: 1,
    lane: () => "x",
    worst: () => worst,
    run: async () => ({ output: "ok", cost: real }),
  };
  const unit = { kind: "x", version: 1, input: null, draw: { purpose: "train", trial: 0 } } as const;
  const place = { role: "target", step: 1, stage: "rollout" } as const;
  const { signal } = new AbortController();
  const call = { key, place, signal };
  await attempt(unit, handler, call, 1, { run: "r", journal, spend, clock: systemClock });
  const after = await readLedger(journal.read({ run: "r" }));
  expect(after).toMatchObject({ lost: 1, spent: { nanoUsd: 110, tokens: 55, calls: 2 } });
  expect(spend.spent()).toEqual(after.spent);
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
