import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cost, noCost } from "../cost.ts";
import { createSpend, formatUsd } from "./spend.ts";

const cost = (nanoUsd: number, calls = 1): Cost => ({ nanoUsd, tokens: 10, calls });
const open = (caps: Parameters<typeof createSpend>[0]["caps"], already = noCost) =>
  createSpend({ caps, already, elapsedMs: () => 0 });

test("a reservation that fits is admitted at once", async () => {
  const spend = open({ usd: 1 });
  await spend.reserve(cost(1e9));
  spend.settle(cost(1e9), cost(4e8));
  expect(spend.spent()).toEqual(cost(4e8));
});

test("one that does not fit waits for a settlement", async () => {
  const spend = open({ usd: 1 });
  await spend.reserve(cost(8e8));
  let admitted = false;
  const second = spend.reserve(cost(5e8)).then(() => {
    admitted = true;
  });
  await Promise.resolve();
  expect(admitted).toBe(false);
  spend.settle(cost(8e8), cost(1e8));
  await second;
  expect(admitted).toBe(true);
});

test("with nothing in flight, one that alone does not fit stops the run", async () => {
  const spend = open({ usd: 1 }, cost(9e8));
  await expect(spend.reserve(cost(2e8))).rejects.toMatchObject({ code: "spend-cap", exitCode: 4 });
});

test("everything waiting is refused together when the last call in flight settles", async () => {
  const spend = open({ calls: 1 });
  await spend.reserve(cost(1));
  const waiting = [spend.reserve(cost(1)), spend.reserve(cost(1))];
  spend.settle(cost(1), cost(1));
  const settled = await Promise.allSettled(waiting);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("minutes are a cap too", async () => {
  const spend = createSpend({ caps: { minutes: 1 }, already: noCost, elapsedMs: () => 61_000 });
  await expect(spend.reserve(cost(1))).rejects.toMatchObject({ code: "spend-cap" });
});

test("no order of calls exceeds the cap", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1000 }),
      fc.array(
        fc.record({
          worst: fc.integer({ min: 0, max: 300 }),
          share: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        {
          maxLength: 40,
        },
      ),
      async (cap, calls) => {
        const spend = open({ usd: cap / 1e9 });
        const work = calls.map(async ({ worst, share }) => {
          await spend.reserve(cost(worst));
          await Promise.resolve();
          spend.settle(cost(worst), cost(Math.floor(worst * share)));
          expect(spend.spent().nanoUsd).toBeLessThanOrEqual(cap);
        });
        await Promise.allSettled(work);
        expect(spend.spent().nanoUsd).toBeLessThanOrEqual(cap);
      },
    ),
  );
});

test("small sums stay readable", () => {
  expect([0, 1234, 12_300_000, 1_234_000_000].map(formatUsd)).toEqual([
    "$0",
    "$0.0000012",
    "$0.012",
    "$1.23",
  ]);
});
