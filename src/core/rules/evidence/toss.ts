import { mean } from "../../mean.ts";
import { seededRandom } from "../../random.ts";

/**
 * Two rollouts of one task, as one wish sees them. In the first, each open wish was included or not by its own coin; in
 * the second, all coins were flipped. So each task has both arms of each wish, whatever else was in the texts.
 */
export interface Toss {
  /** Whether the wish was in the first of the two. */
  readonly on: boolean;
  /** The probability of that, fixed before the rollouts. */
  readonly chance: number;
  /** The score of the first, from 0 to 1. */
  readonly score: number;
  /** The score of the second. */
  readonly other: number;
}

/** One task's evidence about a wording. */
export interface TaskEvidence {
  /** The task's id. No task ever counts twice for a wording. */
  readonly task: string;
  /** The night that rolled it. */
  readonly night: string;
  /** It belongs to the wish's own habit. Other tasks only count as evidence of harm. */
  readonly isOwn: boolean;
  /** The agent continued the real conversation up to the correction. @default false */
  readonly isTalk?: boolean;
  readonly tosses: readonly Toss[];
}

/** Either arm is equally likely to come first. */
export const tossChance = 0.5;

export interface TossName {
  readonly seed: number;
  readonly night: string;
  /** Its id. */
  readonly task: string;
  /** Its id. */
  readonly wish: string;
}

/** The coin of one wish for each toss of a task. It only depends on these names, so no other wish or task changes it. */
export function tossCoins({ seed, night, task, wish }: TossName, tosses: number): readonly boolean[] {
  const random = seededRandom("wish-coins", seed, night, task, wish);
  return Array.from({ length: tosses }, () => random() < tossChance);
}

/** The scores with the wish and without it. */
export const armsOfTosses = (tosses: readonly Toss[]) => ({
  with: tosses.map(({ on, score, other }) => (on ? score : other)),
  without: tosses.map(({ on, score, other }) => (on ? other : score)),
});

/** The mean score with the wish minus without it. On average over our coins, that's the wish's effect on this task. */
export function tossDifference(tosses: readonly Toss[]): number {
  const arms = armsOfTosses(tosses);
  return tosses.length === 0 ? 0 : mean(arms.with) - mean(arms.without);
}
