import type { EvaluationReport, RolloutRef, RunReport } from "./model.ts";

/** All rollouts of one task, given by its index in `report.tasks`, in the order of the run. */
export function rolloutsOf(report: Pick<RunReport, "evaluations">, task: number): readonly RolloutRef[] {
  return report.evaluations.flatMap((evaluation) => {
    const refs: RolloutRef[] = [];
    for (let row = evaluation.task.indexOf(task); row >= 0; row = evaluation.task.indexOf(task, row + 1))
      refs.push(refOf(evaluation, row));
    return refs;
  });
}

export function refOf(evaluation: EvaluationReport, row: number): RolloutRef {
  const { name, version, stage, step, trial, hard, soft = hard, texts, text } = evaluation;
  return {
    ref: `${name}#${row}`,
    version,
    ...(texts === undefined ? {} : { rules: texts[text?.[row] ?? -1] ?? [] }),
    step,
    stage,
    trial: trial[row] ?? 0,
    hard: hard[row] ?? null,
    soft: soft[row] ?? null,
  };
}
