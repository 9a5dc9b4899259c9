import type { ArmCosts } from "../core/measure/arm-costs.ts";
import { armCostNote, armCostRows } from "../report/arm-cost-rows.ts";
import { fit, table, wrap, colors } from "./format.ts";

/** What a rollout takes with each of two skills; nothing where nobody counted. */
export function armCostLines(costs: ArmCosts | undefined, columns: number): readonly string[] {
  if (costs === undefined) return [];
  const head = ["takes", "before", "after", "change", "interval"];
  const rows = armCostRows(costs).map(({ name, before, after, change, interval }) => [
    name,
    before,
    after,
    change,
    interval,
  ]);
  const [first = "", ...rest] = table([head, ...rows]);
  return [
    ...[colors.dim(`  ${first}`), ...rest.map((line) => `  ${line}`)].map((line) => fit(line, columns)),
    ...wrap(armCostNote(costs), columns, "  ").map(colors.dim),
  ];
}
