import type { ArmCosts } from "../core/measure/arm-costs.ts";
import { armCostNote, armCostRows } from "../report/arm-cost-rows.ts";
import { fit, table, wrap, colors } from "./format.ts";

/** Tokens, turns and other costs per rollout, for each of two skills; empty if nothing was counted. */
export function armCostLines(costs: ArmCosts | undefined, columns: number): readonly string[] {
  if (costs === undefined) return [];
  const head = ["per rollout", "before", "after", "change", "interval"];
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
