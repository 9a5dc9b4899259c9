import { estimateShare } from "../core/gate/estimate-score.ts";
import type { StepAction } from "../core/step-record.ts";
import type { Estimate } from "./model.ts";

/** The val score of the current skill at one moment. */
export interface CurvePoint {
  /** `0` for the original, a step's number, or `end`. */
  readonly name: string;
  /** Its position on an axis of steps. */
  readonly step: number;
  readonly estimate: Estimate;
  readonly action: StepAction | "original";
  /** Whether the text changed. */
  readonly isNew: boolean;
}

export interface CurveInput {
  readonly baseline: number | undefined;
  readonly steps: readonly {
    readonly step: number;
    readonly action: StepAction;
    readonly incumbent?: number | undefined;
  }[];
  /** After the last measurement. */
  readonly end?: { readonly action: StepAction; readonly score: number | null } | undefined;
  /** Val tasks. */
  readonly tasks: number;
}

/** The current skill's score over steps, the same for every chart, table and terminal. Empty with `gate: off`. */
export function valCurve({ baseline, steps, end, tasks }: CurveInput): readonly CurvePoint[] {
  const estimate = (score: number) => estimateShare(score, tasks);
  const points: CurvePoint[] = [];
  if (baseline !== undefined)
    points.push({ name: "0", step: 0, estimate: estimate(baseline), action: "original", isNew: true });
  for (const { step, action, incumbent } of steps)
    if (incumbent !== undefined)
      points.push({
        name: String(step),
        step,
        estimate: estimate(incumbent),
        action,
        isNew: isChange(action),
      });
  const last = points.at(-1);
  // an end without new measurements adds no point
  if (end?.score != null && last !== undefined && end.score !== last.estimate.value) {
    const { action, score } = end;
    const step = last.step + 0.5;
    points.push({ name: "end", step, estimate: estimate(score), action, isNew: isChange(action) });
  }
  return points;
}

const isChange = (action: StepAction): boolean =>
  action.startsWith("accept") || action === "return_to_original";
