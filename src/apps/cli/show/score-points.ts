import type { RunState } from "../../../report/run-state.ts";
import { estimateShare } from "../../../core/gate/estimate-score.ts";
import type { ScorePoint } from "./score-chart.ts";

/** The val score that each step ended with, the original's first; nothing with `gate: off`. */
export function scorePoints({ rows, baseline, tasks }: RunState): readonly ScorePoint[] {
  const point = (step: number, score: number, kept: boolean): ScorePoint => {
    const { low, high } = estimateShare(score, tasks.val);
    return { step, score, low, high, kept };
  };
  const first = baseline === undefined ? [] : [point(0, baseline, true)];
  return [
    ...first,
    ...rows.flatMap(({ step, action, current: { score } }) =>
      score === null
        ? []
        : [point(step, score, action.startsWith("accept") || action === "return_to_original")],
    ),
  ];
}
