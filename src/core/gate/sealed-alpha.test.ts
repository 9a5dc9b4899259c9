import { expect, test } from "vitest";
import { sealedAlpha } from "./sealed-alpha.ts";

test("the first read has 0.030 of 0.05, and all reads together never more than 0.05", () => {
  expect(sealedAlpha(0.05, 1)).toBeCloseTo(0.0304, 4);
  let total = 0;
  for (let read = 1; read <= 10_000; read += 1) total += sealedAlpha(0.05, read);
  expect(total).toBeLessThan(0.05);
  expect(total).toBeGreaterThan(0.0499);
});
