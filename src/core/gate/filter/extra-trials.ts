import { shuffle } from "../../random.ts";
import { type FinishedPair, gridSum } from "../claim/claim-pair.ts";
import { toGrid } from "./grid.ts";

export interface ExtraTrialsInput {
  readonly pairs: readonly FinishedPair[];
  /** How many tasks get extra trials: fixed before the gate starts. */
  readonly tasks: number;
  /** Breaks ties; from the run's seed, never from results. */
  readonly random: () => number;
}

/**
 * The tasks that get as many trials again, in both arms: those whose trials scatter most when both arms are put
 * together. Exchanging the arms changes nothing, so the rule cannot know who is ahead and the test stays exact.
 */
export function extraTrialTasks({ pairs, tasks, random }: ExtraTrialsInput): number[] {
  const scatter = pairs.map(({ incumbent, candidate }) => scatterOf([...incumbent, ...candidate]));
  return shuffle([...pairs.keys()], random)
    .toSorted((a, b) => (scatter[b] ?? 0) - (scatter[a] ?? 0))
    .slice(0, tasks)
    .toSorted((a, b) => a - b);
}

/** Grid sums are whole numbers, so that equal scatter is equal whichever arm comes first. */
function scatterOf(scores: readonly number[]): number {
  const sum = gridSum(scores);
  const squares = scores.reduce((total, score) => total + toGrid(score) ** 2, 0);
  return (scores.length * squares - sum * sum) / scores.length ** 2;
}
