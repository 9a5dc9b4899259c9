import { resolve } from "node:path";
import { expandConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { CallOptions } from "./session/open-run.ts";
import { type CallPlan, type PlannedCall, planCall } from "./verbs/plan-call.ts";

/** Everything of a config, which verb is to be planned, and what only code can give. */
export type PlanOptions = Config & Partial<PlannedCall> & Pick<CallOptions, "signal" | "onGuess">;

/**
 * What a run would cost, how long it would take and what it could show. No call is made, and nothing is written.
 *
 * @example
 * const { price, calls, refusal } = await plan({ skill: "./SKILL.md", tasks: "./tasks.jsonl", spend: { usd: 2 } });
 * console.log(price.high / 1e9, "USD at most for", calls.high, "calls", refusal?.message ?? "");
 */
export async function plan(options: PlanOptions): Promise<CallPlan> {
  const { cwd = "", signal, onGuess, verb, on, baseline, variants, count, ...rest } = options;
  const { margin, shorten, since, ...config } = rest;
  signal?.throwIfAborted();
  const folder = resolve(cwd);
  const call = { cwd: folder, verb, on, baseline, variants, count, margin, shorten, since };
  const planned = await planCall(await expandConfig(config, folder, "The config"), call);
  signal?.throwIfAborted();
  for (const guess of planned.guesses) onGuess?.(guess);
  return planned;
}
