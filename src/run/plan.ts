import { resolve } from "node:path";
import { expandConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { CallOptions } from "./session/open-run.ts";
import { type TrainingPlan, planTraining } from "./verbs/plan-training.ts";

/** Everything of a config, and what only code can give. */
export type PlanOptions = Config & Pick<CallOptions, "cwd" | "signal" | "onGuess">;

/**
 * What a training run would cost and could show. No call is made, and nothing is written.
 *
 * @example
 * const { price, calls, refusal } = await plan({ skill: "./SKILL.md", tasks: "./tasks.jsonl", spend: { usd: 2 } });
 * console.log(price.high / 1e9, "USD at most for", calls.high, "calls", refusal?.message ?? "");
 */
export async function plan({ cwd = "", signal, onGuess, ...config }: PlanOptions): Promise<TrainingPlan> {
  signal?.throwIfAborted();
  const folder = resolve(cwd);
  const planned = await planTraining(await expandConfig(config, folder, "The config"), { cwd: folder });
  signal?.throwIfAborted();
  for (const guess of planned.guesses) onGuess?.(guess);
  return planned;
}
