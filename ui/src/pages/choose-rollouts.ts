import type { RolloutRef } from "../../../src/report/model.ts";

/** What a task page shows before anybody chose: the last rollout, beside the last one that came out otherwise. */
export function chooseRollouts(rollouts: readonly RolloutRef[]): readonly RolloutRef[] {
  // versions below 0 are the run's baselines: no skill, a one-shot rewrite
  const measured = rollouts.filter(({ hard, version }) => hard !== null && version >= 0);
  const last = measured.findLast(({ stage }) => stage === "test") ?? measured.at(-1) ?? rollouts.at(-1);
  if (last === undefined) return [];
  const contrary = measured.filter(({ hard }) => (hard === 1) !== (last.hard === 1));
  const other = contrary.findLast(({ stage }) => stage === last.stage) ?? contrary.at(-1);
  return other === undefined ? [last] : [other, last];
}
