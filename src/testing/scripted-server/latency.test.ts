import { expect, test } from "vitest";
import { drawLatency, type Latency } from "./latency.ts";

const drawMany = (latency: Latency) =>
  Array.from({ length: 4001 }, (_, index) => drawLatency(latency, 1, `unit-${index}`, "m")).toSorted(
    (a, b) => a - b,
  );

test("each distribution has the median and spread that it names", () => {
  const uniform = drawMany({ kind: "uniform", minMs: 20, maxMs: 60 });
  expect(uniform[0]).toBeGreaterThanOrEqual(20);
  expect(uniform.at(-1)).toBeLessThan(60);
  expect(Math.abs(uniform[2000]! - 40)).toBeLessThan(2);
  const lognormal = drawMany({ kind: "lognormal", medianMs: 100, sigma: 0.5 });
  expect(Math.abs(Math.log(lognormal[2000]! / 100))).toBeLessThan(0.05);
  // one standard deviation above the median, in logarithms
  expect(Math.abs(Math.log(lognormal[3366]! / 100) - 0.5)).toBeLessThan(0.06);
  expect(drawLatency({ kind: "fixed", ms: 7 }, 1, "a", "m")).toBe(7);
});

test("latency belongs to seed and key", () => {
  const latency: Latency = { kind: "lognormal", medianMs: 100, sigma: 0.5 };
  const first = drawLatency(latency, 1, "a", "m");
  expect(drawLatency(latency, 1, "a", "m")).toBe(first);
  expect(drawLatency(latency, 1, "b", "m")).not.toBe(first);
  expect(drawLatency(latency, 2, "a", "m")).not.toBe(first);
});

test("without a plan, or a plan for this model, there is no delay", () => {
  expect(drawLatency(undefined, 1, "a", "m")).toBe(0);
  expect(drawLatency(() => undefined, 1, "a", "m")).toBe(0);
});
