import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Counts } from "../share-repetitions.ts";
import type { RuleCell } from "./rule-cells.ts";

/** Mean true gain in points, its standard error, and the share of runs that end more than a point below the original. */
export interface Gain {
  readonly gain: number;
  readonly error: number;
  readonly below: number;
}

export interface RuleCellResult {
  readonly cell: RuleCell;
  /** The text that is offered, and the two that it is one of. */
  readonly ours: Gain;
  readonly full: Gain;
  readonly lean: Gain;
  readonly strict: Gain;
  readonly filter: Gain;
  readonly reference: Gain;
  /** Rules kept by a run, on average. */
  readonly useful: number;
  readonly useless: number;
  readonly harmful: number;
  readonly tokens: number;
  /** Share of the 95% intervals of a rule's worth that hold the truth. */
  readonly held: number;
}

type RecordedGain = Gain & { readonly seeds: number };

interface Recorded {
  readonly cells: Readonly<
    Record<string, { readonly filter: RecordedGain; readonly reference: RecordedGain }>
  >;
}

/** Rivals whose code is not here, on the same worlds; the file says how it was made. */
const { cells: recorded } = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded-rivals.json"), "utf8"),
) as Recorded;

export function ruleCellResult(cell: RuleCell, counts: Counts, runs: number): RuleCellResult {
  const rivals = recorded[cell.name];
  if (rivals === undefined) throw new Error(`Nothing is recorded for ${cell.name}`);
  const each = (key: string) => (counts[key] ?? 0) / runs;
  // a few runs alone say little about their own error; the recorded ones know how much runs differ here
  const usual = rivals.reference.error * Math.sqrt(rivals.reference.seeds / runs);
  const gain = (name: string): Gain => {
    const variance = each(`${name}Squares`) - each(`${name}Gain`) ** 2;
    const error = Math.max(Math.sqrt(Math.max(variance, 0) / Math.max(runs - 1, 1)), usual);
    return { gain: each(`${name}Gain`), error, below: each(`${name}Below`) };
  };
  return {
    cell,
    ours: gain("ours"),
    full: gain("full"),
    lean: gain("lean"),
    strict: gain("strict"),
    ...rivals,
    useful: each("useful"),
    useless: each("useless"),
    harmful: each("harmful"),
    tokens: each("tokens"),
    held: each("held") / each("stated"),
  };
}
