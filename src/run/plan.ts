import { resolve } from "node:path";
import { errorForCaller, forCaller } from "../config/caller.ts";
import { expandConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { CallOptions } from "./session/open-run.ts";
import { type CallPlan, type PlannedCall, planCall } from "./verbs/plan-call.ts";

/** A whole config, the call to plan, and options that only code can give. */
export type PlanOptions = Config & PlannedCall & Pick<CallOptions, "cwd" | "signal" | "onGuess" | "onNote">;

/**
 * Estimates what a call would cost, how long it would take, and what a training could show. Makes no calls, writes nothing.
 *
 * @example
 * const { price, calls, refusal } = await plan({ skill: "./SKILL.md", tasks: "./tasks.jsonl", spend: { usd: 2 } });
 * console.log(price.high / 1e9, "USD at most for", calls.high, "calls", refusal?.message ?? "");
 */
export async function plan(options: PlanOptions): Promise<CallPlan> {
  const {
    cwd = "",
    signal,
    onGuess,
    onNote,
    verb,
    on,
    baseline,
    count,
    margin,
    since,
    onSoFar,
    ...written
  } = options;
  signal?.throwIfAborted();
  const folder = resolve(cwd);
  const config = await expandConfig(written, folder, "The config");
  const call = { verb, on, baseline, count, margin, since, onSoFar };
  const planned = await planCall(config, { ...call, cwd: folder }).catch((error: unknown) => {
    throw errorForCaller(error);
  });
  signal?.throwIfAborted();
  const [guesses, notes] = [planned.guesses.map(forCaller), planned.notes.map(forCaller)];
  for (const guess of guesses) onGuess?.(guess);
  for (const note of notes) onNote?.(note);
  return { ...planned, guesses, notes };
}
