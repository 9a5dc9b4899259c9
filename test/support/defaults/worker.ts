import { doPart } from "../share-repetitions.ts";
import { defaultsCells } from "./cells.ts";
import { runOnce } from "./run-once.ts";

await doPart(defaultsCells, runOnce);
