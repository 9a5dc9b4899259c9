import type { AgentRun } from "./ports/agent.ts";
import type { Reply } from "./ports/model.ts";
import type { Cost } from "./cost.ts";

/** What the target took for one rollout. What a judge takes is the price of measuring, not of the skill. */
export interface Used {
  /** Input and output, as the provider counted them. */
  readonly tokens: number;
  /** Billionths of a US dollar, as they were booked. */
  readonly nanoUsd: number;
  /** Answers of the model. */
  readonly turns: number;
  readonly toolCalls: number;
  /** Milliseconds without waiting for limits; missing where an answer waits for a person. */
  readonly ms?: number;
}

/** One call of the target, as the journal has it. */
export interface UsedCall {
  readonly output: Pick<Reply | AgentRun, "usage" | "host"> & Partial<AgentRun>;
  readonly cost: Cost;
  readonly ms: number;
}

/** All calls of one rollout together. */
export function sumUsed(calls: readonly UsedCall[], { isTimed }: { readonly isTimed: boolean }): Used {
  const sum = (of: (call: UsedCall) => number) => calls.reduce((all, call) => all + of(call), 0);
  const ms = sum(({ ms: took, output }) => Math.max(took - (output.heldMs ?? 0), 0));
  return {
    tokens: sum(({ output: { usage } }) => usage.inputTokens + usage.outputTokens),
    nanoUsd: sum(({ cost }) => cost.nanoUsd),
    turns: sum(({ output }) => output.calls ?? 1),
    toolCalls: sum(({ output }) => output.toolCalls?.length ?? 0),
    ...(isTimed ? { ms } : {}),
  };
}
