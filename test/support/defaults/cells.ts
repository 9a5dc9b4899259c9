import type { EditCell } from "../edit-world.ts";

/** What a person has: a file of so many tasks, and at most one flag. */
export interface DefaultsCell {
  readonly tasks: number;
  readonly effort: "standard" | "quick";
}

export const mildWorld: EditCell = { base: 0.6, mix: "mild", target: "noisy", scores: "pass-fail", group: 1 };

export const defaultsCells: readonly DefaultsCell[] = [
  ...[5, 8, 14, 20, 30, 40, 60, 100, 200, 500].map((tasks) => ({ tasks, effort: "standard" as const })),
  { tasks: 100, effort: "quick" },
];
