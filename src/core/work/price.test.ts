import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelRequest } from "../ports/model.ts";
import { type Price, boundUsage, costOf, worstCase } from "./price.ts";

const price: Price = { input: 1.25, output: 10, cachedInput: 0.125 };

test("a call is charged by the million, in billionths, rounded up", () => {
  expect(costOf({ inputTokens: 1_000_000, outputTokens: 0 }, price)).toBe(1_250_000_000);
  expect(costOf({ inputTokens: 1000, outputTokens: 100 }, price)).toBe(2_250_000);
  expect(costOf({ inputTokens: 1, outputTokens: 0 }, { input: 0.0001, output: 0 })).toBe(1);
});

test("cached input is a part of the input, at its own price", () => {
  expect(costOf({ inputTokens: 1000, outputTokens: 0, cachedInputTokens: 1000 }, price)).toBe(125_000);
  expect(costOf({ inputTokens: 1000, outputTokens: 0, cachedInputTokens: 400 }, price)).toBe(800_000);
});

test("writing to the cache costs extra where the price says so", () => {
  const usage = { inputTokens: 1000, outputTokens: 0, cachedInputTokens: 100, cacheWriteInputTokens: 800 };
  expect(costOf(usage, { ...price, cacheWriteInput: 2 })).toBe(125_000 + 12_500 + 1_600_000);
  expect(costOf(usage, price)).toBe(125_000 + 12_500 + 1_000_000);
});

test("prices that are no binary fraction are exact", () => {
  expect(costOf({ inputTokens: 3, outputTokens: 0 }, { input: 0.07, output: 0 })).toBe(210);
  expect(costOf({ inputTokens: 1_000_000, outputTokens: 1_000_000 }, { input: 0.1, output: 0.7 })).toBe(8e8);
});

test("a long input has its own rates, for the whole call", () => {
  const tiered: Price = { input: 2, output: 12, longContext: { above: 1000, input: 4, output: 18 } };
  expect(costOf({ inputTokens: 1000, outputTokens: 1 }, tiered)).toBe(2_012_000);
  expect(costOf({ inputTokens: 1001, outputTokens: 1 }, tiered)).toBe(4_022_000);
});

test("the bound counts bytes, not characters", () => {
  const request = { model: "a/b", messages: [{ role: "user" as const, content: "é日😀" }], maxTokens: 7 };
  expect(boundUsage(request)).toEqual({ inputTokens: 9 + 64 + 16, outputTokens: 7 });
  expect(boundUsage({ ...request, system: "ab" }).inputTokens).toBe(91);
});

test("no call within its bound costs more than its worst case", () => {
  const rate = fc.integer({ min: 0, max: 200_000 }).map((milli) => milli / 1000);
  const rates = { input: rate, output: rate, cachedInput: rate, cacheWriteInput: rate };
  const anyPrice = fc.record(
    { ...rates, longContext: fc.record({ ...rates, above: fc.nat(400) }) },
    { requiredKeys: ["input", "output"] },
  );
  const anyRequest: fc.Arbitrary<ModelRequest> = fc.record({
    model: fc.constant("a/b"),
    system: fc.string({ unit: "binary" }),
    messages: fc.array(
      fc.record({ role: fc.constant("user" as const), content: fc.string({ unit: "binary" }) }),
    ),
    maxTokens: fc.nat(100_000),
  });
  const shares = fc.tuple(fc.double({ min: 0, max: 1 }), fc.double({ min: 0, max: 1 }), fc.nat(), fc.nat());
  fc.assert(
    fc.property(anyRequest, anyPrice, shares, (request, price, [input, output, cached, written]) => {
      const bound = boundUsage(request);
      const usage = {
        inputTokens: Math.floor((input || 0) * bound.inputTokens),
        outputTokens: Math.floor((output || 0) * bound.outputTokens),
        cachedInputTokens: cached % 1000,
        cacheWriteInputTokens: written % 1000,
      };
      const worst = worstCase(request, price);
      const cost = costOf(usage, price);
      expect(Number.isSafeInteger(cost)).toBe(true);
      expect(cost).toBeLessThanOrEqual(worst.nanoUsd);
      expect(usage.inputTokens + usage.outputTokens).toBeLessThanOrEqual(worst.tokens);
    }),
    { numRuns: 1000 },
  );
});
