import { mean } from "../../mean.ts";
import { seededRandom } from "../../random.ts";

/**
 * Two rollouts of one task, as one wish sees them. In the first every open wish was in or out by a coin of its own, in the
 * second all coins were turned: so each task has both arms of each wish, whatever else stood in the texts.
 */
export interface Toss {
  /** Whether the wish was in the first of the two. */
  readonly on: boolean;
  /** How likely that was, fixed before the rollouts. */
  readonly chance: number;
  /** Of the first, from 0 to 1. */
  readonly score: number;
  /** Of the second. */
  readonly other: number;
}

/** What one task showed of a wording. */
export interface TaskEvidence {
  /** Its id. No task ever counts twice for a wording. */
  readonly task: string;
  /** The night that rolled it. */
  readonly night: string;
  /** It is of the wish's own habit. Other tasks count for nothing but harm. */
  readonly isOwn: boolean;
  /** The agent went on with the real conversation up to the correction. @default false */
  readonly isTalk?: boolean;
  readonly tosses: readonly Toss[];
}

/** Both arms are as likely to come first. */
export const tossChance = 0.5;

export interface TossName {
  readonly seed: number;
  readonly night: string;
  /** Its id. */
  readonly task: string;
  /** Its id. */
  readonly wish: string;
}

/** The coin of one wish, for each toss of a task: a function of these names, so that no other wish and no other task moves it. */
export function tossCoins({ seed, night, task, wish }: TossName, tosses: number): readonly boolean[] {
  const random = seededRandom("wish-coins", seed, night, task, wish);
  return Array.from({ length: tosses }, () => random() < tossChance);
}

/** The scores with the wish and without it. */
export const armsOfTosses = (tosses: readonly Toss[]) => ({
  with: tosses.map(({ on, score, other }) => (on ? score : other)),
  without: tosses.map(({ on, score, other }) => (on ? other : score)),
});

/** The mean score with the wish minus without it: on average over our coins that is the wish's effect on this task. */
export function tossDifference(tosses: readonly Toss[]): number {
  const arms = armsOfTosses(tosses);
  return tosses.length === 0 ? 0 : mean(arms.with) - mean(arms.without);
}
