import { expect, test } from "vitest";
import vectors from "../../../test/vectors/edit-budget-schedule.json" with { type: "json" };
import { editBudget, type EditSchedule } from "./edit-budget.ts";

test.each(vectors)("$mode from $max to $min in $total steps", ({ mode, max, min, total, budgets }) => {
  const schedule = mode as EditSchedule;
  const ours = budgets.map((_, at) => editBudget({ schedule, max, min, total, step: at + 1 }));
  expect(ours).toEqual(budgets);
});
