export type EditSchedule = "constant" | "linear" | "cosine";

export interface EditBudgetInput {
  readonly schedule: EditSchedule;
  /** The budget at the start. */
  readonly max: number;
  /** The floor. */
  readonly min: number;
  /** 1 … total. */
  readonly step: number;
  readonly total: number;
}

/**
 * How many edits a step may make: the textual learning rate, falling from `max` to `min`.
 *
 * @example
 * editBudget({ schedule: "cosine", max: 4, min: 2, step: 5, total: 10 }); // 3
 */
export function editBudget({ schedule, max, min, step, total }: EditBudgetInput): number {
  // a run with a single step has no slope
  if (schedule === "constant" || total <= 1) return max;
  const progress = Math.min(step / total, 1);
  const budget =
    schedule === "linear"
      ? max + (min - max) * progress
      : min + 0.5 * (max - min) * (1 + Math.cos(Math.PI * progress));
  return Math.max(min, roundHalfToEven(budget));
}

function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
