import type { AgentRun } from "./ports/agent.ts";
import type { Reply } from "./ports/model.ts";
import type { Cost } from "./cost.ts";

/** The target's usage in one rollout. A judge's usage isn't included: it's a price of measuring, not of the skill. */
export interface Used {
  /** Input and output tokens, as counted by the provider. */
  readonly tokens: number;
  /** The booked cost in billionths of a US dollar. */
  readonly nanoUsd: number;
  /** The number of the model's answers. */
  readonly turns: number;
  readonly toolCalls: number;
  /** Milliseconds without waiting for limits; missing if an answer waits for a person. */
  readonly ms?: number;
}

/** One recorded call of the target. */
export interface UsedCall {
  readonly output: Pick<Reply | AgentRun, "usage" | "host"> & Partial<AgentRun>;
  readonly cost: Cost;
  readonly ms: number;
}

/** Sums all calls of one rollout. */
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
