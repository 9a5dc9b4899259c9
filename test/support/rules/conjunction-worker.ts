// node conjunction-worker.ts <worker> <workers> <seed> <repetitions> <misleads: 0 or 1> <every nth cell>: one line of counts for each cell.
import { doPart } from "../share-repetitions.ts";
import { conjunctionCells, runConjunction } from "./conjunction-cells.ts";

const [misleads = "0", every = "1"] = process.argv.slice(6);
await doPart(
  conjunctionCells.filter((_, at) => at % Number(every) === 0),
  async (cell, repetition, seed) => runConjunction(cell, seed + repetition, misleads === "1"),
);
