import { mean } from "../../mean.ts";
import { type TaskEvidence, type Toss, tossDifference } from "./toss.ts";

/** The capitals of all bettors on one wording, in logs: each started at 0. */
export interface Capitals {
  /** On "it helps some of these tasks", by share and shift. */
  readonly some: readonly number[];
  /** On "its mean effect is above zero", by stake. */
  readonly better: readonly number[];
  /** On "its mean effect is below zero", by stake. */
  readonly worse: readonly number[];
}

/** Shares of a capital that are bet on a task's difference. */
const stakes = [0.1, 0.25, 0.45, 0.7, 0.95];

/** Each pair is a bettor: a wish changes a share of its habit's tasks, and shifts their log odds. */
const believers = [0.3, 0.6, 0.95].flatMap((share) => [1.5, 4].map((shift) => ({ share, shift })));

/** Possible log odds of a task, equally likely in advance. */
const levels = [-4, -2.5, -1.2, 0, 1.2, 2.5, 4];

/**
 * The capitals after all these tasks. The task is the unit: its tosses form one difference, and one bet on their coins.
 * If a wording does nothing, nobody can expect to win, whatever targets, drifts and other wishes do, and however often
 * one looks. The chance that the mean of the capitals ever reaches c is at most 1/c (Ville).
 */
export function capitalsOf(tasks: readonly TaskEvidence[]): Capitals {
  const [some, better, worse] = [believers.map(() => 0), stakes.map(() => 0), stakes.map(() => 0)];
  for (const task of tasks) {
    const gains = gainsOf(task);
    for (let at = 0; at < some.length; at += 1) some[at] = (some[at] ?? 0) + (gains.some[at] ?? 0);
    for (let at = 0; at < stakes.length; at += 1) {
      better[at] = (better[at] ?? 0) + (gains.better[at] ?? 0);
      worse[at] = (worse[at] ?? 0) + (gains.worse[at] ?? 0);
    }
  }
  return { some, better, worse };
}

/** Large if it helps some of these tasks; a wording that ruins as many also gets there. */
export const eSome = ({ some }: Capitals): number => mean(some.map(Math.exp));

/** Large if its mean effect over tasks like these is above zero: this is the proof. */
export const eBetter = ({ better }: Capitals): number => mean(better.map(Math.exp));

/** Large if its mean effect over tasks like these is below zero. */
export const eWorse = ({ worse }: Capitals): number => mean(worse.map(Math.exp));

/** A task's part never changes, but is needed every night. */
const knownGains = new WeakMap<TaskEvidence, Capitals>();

function gainsOf(task: TaskEvidence): Capitals {
  const known = knownGains.get(task);
  if (known !== undefined) return known;
  const difference = tossDifference(task.tosses);
  const gains = {
    some: believers.map(({ share, shift }) => Math.log1p(share * (coinRatio(task.tosses, shift) - 1))),
    better: stakes.map((stake) => Math.log1p(stake * difference)),
    worse: stakes.map((stake) => Math.log1p(-stake * difference)),
  };
  knownGains.set(task, gains);
  return gains;
}

/**
 * The likelihood of the scores given the actual coins, divided by its mean over all possible coins, for a task whose
 * log odds the wish shifts by `shift`.
 */
function coinRatio(tosses: readonly Toss[], shift: number): number {
  let [fell, could] = [0, 0];
  for (const level of levels) {
    const [without, within] = [logistic(level), logistic(level + shift)];
    let [one, all] = [1, 1];
    for (const { on, chance, score, other } of tosses) {
      const ifOn = likelihood(within, score) * likelihood(without, other);
      const ifOff = likelihood(without, score) * likelihood(within, other);
      one *= on ? ifOn : ifOff;
      all *= chance * ifOn + (1 - chance) * ifOff;
    }
    fell += one;
    could += all;
  }
  return fell / could;
}

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** Most scores are 0 or 1, and simulations call this millions of times. */
const likelihood = (chance: number, score: number): number =>
  score === 1 ? chance : score === 0 ? 1 - chance : chance ** score * (1 - chance) ** (1 - score);
