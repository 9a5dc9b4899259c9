import type { EvaluationReport, RolloutRef, RunReport } from "./model.ts";

/** All rollouts of one task, by its place in `report.tasks`, in the order of the run. */
export function rolloutsOf(report: Pick<RunReport, "evaluations">, task: number): readonly RolloutRef[] {
  return (indexOf(report.evaluations).get(task) ?? []).map(({ evaluation, row }) => refOf(evaluation, row));
}

export function refOf(evaluation: EvaluationReport, row: number): RolloutRef {
  const { name, version, stage, step, trial, hard, soft = hard } = evaluation;
  return {
    ref: `${name}#${row}`,
    version,
    step,
    stage,
    trial: trial[row] ?? 0,
    hard: hard[row] ?? null,
    soft: soft[row] ?? null,
  };
}

interface Place {
  readonly evaluation: EvaluationReport;
  readonly row: number;
}

type Index = ReadonlyMap<number, readonly Place[]>;

// a table of thousands of tasks asks for one after the other
const indices = new WeakMap<readonly EvaluationReport[], Index>();

function indexOf(evaluations: readonly EvaluationReport[]): Index {
  const known = indices.get(evaluations);
  if (known !== undefined) return known;
  const index = new Map<number, Place[]>();
  for (const evaluation of evaluations) {
    for (const [row, task] of evaluation.task.entries()) {
      const places = index.get(task);
      if (places === undefined) index.set(task, [{ evaluation, row }]);
      else places.push({ evaluation, row });
    }
  }
  indices.set(evaluations, index);
  return index;
}
