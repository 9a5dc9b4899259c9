import type { RunState } from "../report/run-state.ts";
import { valCurve } from "../report/val-curve.ts";

/** The score of the skill at the end of a step. */
export interface ScorePoint {
  /** A step's number, or `end`. */
  readonly name: string;
  readonly score: number;
  readonly low: number;
  readonly high: number;
  /** Whether the step changed the skill. */
  readonly isNew: boolean;
}

/** The val score after each step, starting with the original's; empty with `gate: off`. */
export const scorePoints = ({ rows, turns, baseline, tasks }: RunState): readonly ScorePoint[] =>
  valCurve({
    baseline,
    steps: rows.map(({ step, action, current: { score } }) => ({
      step,
      action,
      incumbent: score ?? undefined,
    })),
    end: turns.find(({ turn }) => turn === "end"),
    tasks: tasks.val,
  }).map(({ name, estimate: { value, low, high }, isNew }) => ({ name, score: value, low, high, isNew }));
