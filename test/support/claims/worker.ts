import { doPart } from "../share-repetitions.ts";
import { claimsCells } from "./cells.ts";
import { runRepetition } from "./run-cell.ts";

/** A whole search takes a thousand times as long as a claim alone, and ten of them ten times that. */
const shares = { training: 10, grown: 10, ten: 20, looks: 1, skewed: 1 };

await doPart(claimsCells, runRepetition, ({ kind }, repetitions) =>
  Math.ceil(repetitions < 100 && kind !== "ten" ? repetitions : repetitions / shares[kind]),
);
