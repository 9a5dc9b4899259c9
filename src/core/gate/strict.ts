import { gateScore, type Metric, type Score } from "./score.ts";

export type GateAction = "accept_new_best" | "accept" | "reject";

export interface StrictGateInput<S> {
  readonly candidate: { readonly skill: S; readonly step: number } & Score;
  readonly current: { readonly skill: S; readonly score: number };
  readonly best: { readonly skill: S; readonly score: number; readonly step: number };
  readonly metric: Metric;
  readonly mixedWeight: number;
}

export interface GateResult<S> {
  readonly action: GateAction;
  /** The candidate's score. */
  readonly score: number;
  readonly current: { readonly skill: S; readonly score: number };
  readonly best: { readonly skill: S; readonly score: number; readonly step: number };
}

/**
 * The paper's gate: accepts a strictly higher mean; on a tie, the incumbent stays.
 *
 * @example
 * const { action } = strictGate({
 *   candidate: { skill: "new", step: 3, hard: 0.7, soft: 0.7 },
 *   current: { skill: "old", score: 0.6 },
 *   best: { skill: "old", score: 0.6, step: 1 },
 *   metric: "hard",
 *   mixedWeight: 0.5,
 * });
 * console.log(action); // accept_new_best
 */
export function strictGate<S>({
  candidate,
  current,
  best,
  metric,
  mixedWeight,
}: StrictGateInput<S>): GateResult<S> {
  const score = gateScore(candidate, metric, mixedWeight);
  const { skill, step } = candidate;
  if (!(score > current.score)) return { action: "reject", score, current, best };
  if (!(score > best.score)) return { action: "accept", score, current: { skill, score }, best };
  return { action: "accept_new_best", score, current: { skill, score }, best: { skill, score, step } };
}
