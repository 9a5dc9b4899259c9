import type { RolloutRef } from "../../../src/report/model.ts";

/** The default choice on a task page: the last rollout, next to the last one with the opposite result. */
export function chooseRollouts(rollouts: readonly RolloutRef[]): readonly RolloutRef[] {
  // versions below 0 are the run's baselines: no skill and a one-shot rewrite
  const measured = rollouts.filter(({ hard, version }) => hard !== null && version >= 0);
  const last = measured.findLast(({ stage }) => stage === "test") ?? measured.at(-1) ?? rollouts.at(-1);
  if (last === undefined) return [];
  const contrary = measured.filter(({ hard }) => (hard === 1) !== (last.hard === 1));
  const other = contrary.findLast(({ stage }) => stage === last.stage) ?? contrary.at(-1);
  return other === undefined ? [last] : [other, last];
}
