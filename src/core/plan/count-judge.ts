import { countCalibrationCalls } from "../judge/calibrate.ts";
import { type CalibrationRow, rubricTexts } from "../judge/probes.ts";
import type { Splits, Task } from "../tasks/task.ts";
import type { CallKind, PlannedCalls } from "./count-calls.ts";
import { multiplyRanges, range } from "../rehearse/range.ts";

export interface JudgedRun {
  readonly splits: Splits;
  readonly rows: readonly CalibrationRow[];
}

/** The judge's calls: its trial before the run, and each rubric of every rollout. */
export function countJudge(planned: readonly PlannedCalls[], run: JudgedRun): readonly PlannedCalls[] {
  const { splits, rows } = run;
  const tasks = [...splits.train, ...splits.val, ...splits.test];
  if (rubricsPerTask(tasks) === 0) return [];
  const before = (kind: CallKind, count: number): PlannedCalls => ({
    kind,
    role: "judge",
    stage: "preflight",
    calls: range(count),
    firstStep: count,
    perStep: false,
  });
  const scored = planned
    .filter(({ role, kind }) => role === "target" && kind !== "longest")
    .map((rollouts): PlannedCalls => {
      const each = rubricsPerTask(tasksOf(rollouts.kind, splits));
      return {
        kind: "rubric",
        role: "judge",
        stage: rollouts.stage,
        calls: multiplyRanges(rollouts.calls, range(repeats.has(rollouts.kind) ? 0 : each, each)),
        firstStep: Math.floor(rollouts.firstStep * each),
        perStep: rollouts.perStep,
      };
    });
  return [
    before("canary", 1),
    before("calibration", countCalibrationCalls({ tasks, rows })),
    ...scored,
  ].filter(({ calls }) => calls.high > 0);
}

/** Rollouts whose answers may be those of others, word for word: the same answer is not judged twice. */
const repeats: ReadonlySet<CallKind> = new Set(["candidate", "epoch", "test-best", "rewritten"]);

/** On average. */
function rubricsPerTask(tasks: readonly Task[]): number {
  const rubrics = tasks.reduce((sum, task) => sum + rubricTexts(task).length, 0);
  return rubrics / Math.max(tasks.length, 1);
}

function tasksOf(kind: CallKind, { train, val, test }: Splits): readonly Task[] {
  if (kind === "train" || kind === "epoch") return train;
  if (kind === "val" || kind === "candidate") return val;
  // the baselines are measured on val where there is no test split
  return test.length > 0 ? test : val;
}
