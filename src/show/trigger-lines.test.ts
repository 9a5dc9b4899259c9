import { expect, test } from "vitest";
import { triggerLines } from "./trigger-lines.ts";

const none = { rollouts: 4, wanted: 2, triggered: 0, both: 0, precision: null, recall: 0 };
const some = { rollouts: 4, wanted: 2, triggered: 4, both: 2, precision: 0.5, recall: 1 };

test("precision and recall stand with their counts, and an undefined precision is said as such", () => {
  expect(triggerLines({ val: { before: none, after: some }, test: { before: some } })).toEqual([
    "val: precision undefined (never loaded) → 50.0% (2 of 4, 15.0% to 85.0%), recall 0.0% (0 of 2, 0.0% to 65.8%) → 100.0% (2 of 2, 34.2% to 100.0%)",
    "test: precision 50.0% (2 of 4, 15.0% to 85.0%), recall 100.0% (2 of 2, 34.2% to 100.0%)",
  ]);
  expect(triggerLines({})).toEqual([]);
});
