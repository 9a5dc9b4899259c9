import type { RunState } from "../../../report/run-state.ts";
import { valCurve } from "../../../report/val-curve.ts";
import type { ScorePoint } from "./score-chart.ts";

/** The val score that each step ended with, the original's first; nothing with `gate: off`. */
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
