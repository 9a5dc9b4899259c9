import { expect, test } from "vitest";
import { orderForStop } from "./order-for-stop.ts";

test("tasks the incumbent failed come first, then the least steady, then as they stand", () => {
  expect(orderForStop({ incumbent: [1, 0, 0.5, 0, 1], flipRates: [0.1, 0, 0, 0.4, 0.3] })).toEqual([
    3, 1, 2, 4, 0,
  ]);
  expect(orderForStop({ incumbent: [1, 0, 1, 0] })).toEqual([1, 3, 0, 2]);
});
