import { type ClaimsCell } from "./cells.ts";
import { type Counts } from "../share-repetitions.ts";

/** A cell with what was counted in it. */
export interface CountedCell {
  readonly cell: ClaimsCell;
  readonly counts: Counts;
}
