import type { MeasuredAgent } from "../rehearse/measured-models.ts";
import type { Cost } from "../cost.ts";
import type { Usage } from "../ports/model.ts";
import { type Price, costOf } from "../work/price.ts";

/** One rollout of an agent, at the cheap and at the dear end. Without a measurement it is a guess, and wide. */
export function estimateAgentRollout(
  measured: MeasuredAgent | undefined,
  price: Price,
): { readonly low: Cost; readonly high: Cost } {
  if (measured === undefined) return { low: cost(2, guessLow, price), high: cost(15, guessHigh, price) };
  const times = (factor: number): Usage => ({
    inputTokens: Math.round(factor * measured.inputTokens),
    outputTokens: Math.round(factor * measured.outputTokens),
    cachedInputTokens: Math.round(factor * measured.cachedInputTokens),
  });
  return {
    low: cost(shorter * measured.calls, times(shorter), price),
    high: cost(longer * measured.calls, times(longer), price),
  };
}

/** A short task with a lean agent, and a long one with an agent that brings much text of its own. */
const guessLow: Usage = { inputTokens: 8000, outputTokens: 300 };
const guessHigh: Usage = { inputTokens: 300_000, outputTokens: 8000 };

/** Means move a little from run to run. */
const [shorter, longer] = [0.85, 1.2];

const cost = (calls: number, usage: Usage, price: Price): Cost => ({
  nanoUsd: costOf(usage, price),
  tokens: usage.inputTokens + usage.outputTokens,
  calls: Math.round(calls),
});
