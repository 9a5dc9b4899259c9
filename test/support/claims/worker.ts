import { doPart } from "../share-repetitions.ts";
import { claimsCells } from "./cells.ts";
import { runRepetition } from "./run-cell.ts";

// ten runs take ten times as long, which the short form has no time for
await doPart(claimsCells, runRepetition, ({ kind }, repetitions) =>
  kind === "ten" && repetitions < 100 ? Math.ceil(repetitions / 4) : repetitions,
);
