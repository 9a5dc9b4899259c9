import { WhetstoneError } from "../../core/errors.ts";
import type { SplitName } from "../../core/tasks/task.ts";
import { type EvalRun, evalRun } from "./eval-run.ts";
import { type CallOptions, openRun } from "../session/open-run.ts";

export interface EvaluateOptions extends CallOptions {
  /** Which tasks. Every look at test makes it worth less, so it must be asked for. @default "val" */
  readonly on?: SplitName;
}

/** Measures a skill on one split, one trial per task. The same call again resumes, or gives the finished result. */
export async function evaluate({ on = "val", ...options }: EvaluateOptions): Promise<EvalRun> {
  const { signal, onEvent } = options;
  return openRun(options, ["target"], async ({ resolved, journal }) => {
    if (resolved.splits[on].length === 0) {
      throw new WhetstoneError("tasks-invalid", `The ${on} split has no tasks.`, {
        hint: "Choose another split, or add tasks to it.",
      });
    }
    return evalRun(resolved, on, { journal, signal, onEvent });
  });
}
