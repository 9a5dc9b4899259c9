// node rules-worker.ts <worker> <workers> <seed> <repetitions> <cells: a regular expression>: one line of counts for each cell.
import { doPart } from "../share-repetitions.ts";
import { ruleCells } from "./rule-cells.ts";
import { runRuleCell } from "./run-rule-cell.ts";

const [only = "."] = process.argv.slice(6);
await doPart(
  ruleCells.filter(({ name }) => new RegExp(only).test(name)),
  async (cell, repetition, seed) => runRuleCell(cell, seed + repetition),
);
