import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { evaluateVerb } from "../verbs/evaluate.ts";
import { performCall } from "../verbs/perform.ts";

export interface MeasureOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

const rollouts = 2;

/** Rolls out two train tasks. The journal keeps their sizes for plans. */
export async function measureRollouts(config: Config, { cwd, signal }: MeasureOptions): Promise<string> {
  let ms = 0;
  const onEvent = (event: RunEvent) => {
    if (event.type === "unit-end" && event.stage === "baseline") ms = Math.max(ms, event.ms);
  };
  const { spent, finishedBefore } = await performCall(
    { ...config, cwd, signal, onEvent },
    ["target"],
    ({ resolved }) => {
      const train = resolved.splits.train.slice(0, rollouts);
      if (train.length > 0)
        return evaluateVerb({ ...resolved, splits: { train, val: [], test: [] } }, "train");
      throw new WhetstoneError("tasks-invalid", "The train split has no tasks.", {
        hint: "Add tasks to it.",
      });
    },
  );
  const time = finishedBefore ? "measured before" : `the longer one took ${(ms / 1000).toFixed(1)} s`;
  return `${rollouts} rollouts: ${spent.calls} calls, ${spent.tokens} tokens, ${time}; \`whetstone plan\` uses these figures`;
}
