import { expect, test } from "vitest";
import { orderForStop } from "./order-for-stop.ts";

test("tasks the incumbent failed come first, then as they stand", () => {
  expect(orderForStop([1, 0, 0.5, 0, 1])).toEqual([1, 3, 2, 0, 4]);
});
