import { doPart } from "../share-repetitions.ts";
import { compareCells, runRepetition } from "./cells.ts";

await doPart(compareCells, runRepetition);
