import type { ClaimPair, Trial } from "../gate/claim/claim-pair.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Task } from "../tasks/task.ts";

type Scores = readonly (readonly Trial[])[];

/** One pair for each task from the trials of two arms, with the unit it belongs to and its weight. */
export function claimPairs(
  tasks: readonly Task[],
  incumbent: Scores,
  candidate: Scores,
): readonly ClaimPair[] {
  const units = unitsOf(tasks);
  return tasks.map(({ weight }, index) => ({
    incumbent: incumbent[index] ?? [],
    candidate: candidate[index] ?? [],
    unit: units[index] ?? index,
    weight,
  }));
}
