import { type Capitals, capitalsOf, eBetter, eSome, eWorse } from "./bets.ts";
import { proveTogether } from "./prove-together.ts";
import type { TaskEvidence } from "./toss.ts";

/** A wording with its measurements. */
export interface Measured {
  readonly evidence: readonly TaskEvidence[];
  /** How often the wish had been stated before its first task was rolled: fixed from then on. */
  readonly weight?: number;
  /** The night that proved it. It hasn't been measured since. */
  readonly proven?: string;
}

/**
 * `proven`: together with all wordings ever measured, with tasks as units. `works`: it helps on the tasks that were
 * rolled, which is less. `harms`: it does worse on its own tasks, or on others. `hopeless`: measured long enough
 * without a sign. `open`: not known yet.
 */
export type WishStanding = "proven" | "works" | "open" | "harms" | "hopeless";

/** A wording that helps no task gets here with a chance of at most one in ten, however often one looks. */
const worksAt = 10;

/** The chances that these thresholds drop a harmless wording are at most one in three and one in ten. */
const [harmsOwnAt, harmsOthersAt] = [3, 10];

/** Evidence of harm to other tasks that delays a proof. */
const doubtAt = 2;

/** This many tasks of its habit without any sign. */
const longEnough = 8;

/** The standing of every wording that nights ever had, in order. */
export function standingsOf(all: readonly Measured[]): readonly WishStanding[] {
  const tried = all.filter(({ evidence }) => ownTasks(evidence).length > 0);
  const together = proveTogether(tried.map((one) => ({ value: promiseOf(one), weight: one.weight ?? 1 })));
  const proven = new Set(together.map((at) => tried[at]));
  return all.map((one) => {
    if (one.proven !== undefined) return "proven";
    const alone = standsAlone(one.evidence);
    return proven.has(one) && alone !== "harms" && isHarmless(one) ? "proven" : alone;
  });
}

/** A wording's standing by its own tasks, whatever other wordings were measured. */
export function standsAlone(evidence: readonly TaskEvidence[]): Exclude<WishStanding, "proven"> {
  const { own, others } = capitalsBy(evidence);
  if (eWorse(own) >= harmsOwnAt || eWorse(others) >= harmsOthersAt) return "harms";
  if (eSome(own) >= worksAt && eWorse(own) < 1) return "works";
  return ownTasks(evidence).length >= longEnough && eBetter(own) <= 1 ? "hopeless" : "open";
}

/** Other tasks give no evidence against it; otherwise its proof waits. */
const isHarmless = ({ evidence }: Measured): boolean => eWorse(capitalsBy(evidence).others) < doubtAt;

/** The e-value of "its mean effect on tasks of its habit is above zero". */
export const promiseOf = ({ evidence }: Pick<Measured, "evidence">): number =>
  eBetter(capitalsBy(evidence).own);

/** A wording's evidence is read many times, and changes once a night. */
const knownCapitals = new WeakMap<readonly TaskEvidence[], CapitalsBy>();

interface CapitalsBy {
  readonly own: Capitals;
  readonly others: Capitals;
}

function capitalsBy(evidence: readonly TaskEvidence[]): CapitalsBy {
  const known = knownCapitals.get(evidence);
  if (known !== undefined) return known;
  const others = evidence.filter(({ isOwn }) => !isOwn);
  const found = { own: capitalsOf(ownTasks(evidence)), others: capitalsOf(others) };
  knownCapitals.set(evidence, found);
  return found;
}

export const ownTasks = (evidence: readonly TaskEvidence[]): readonly TaskEvidence[] =>
  evidence.filter(({ isOwn }) => isOwn);

/** Whether it was no better on two or more tasks taken together. A single task may be of the wrong kind. */
export const isNoBetter = (gains: readonly number[]): boolean =>
  // sums of fractions of a point are inexact
  gains.length >= 2 && gains.reduce((sum, gain) => sum + gain, 0) < 1e-9;

/** Whether rolling more tasks may still decide about it. */
export const isUndecided = (standing: WishStanding): boolean => standing === "open" || standing === "works";

/** The wordings to measure tonight, most promising first, by their results and how often they were stated. */
export function mostPromising<T extends Measured>(undecided: readonly T[], most: number): readonly T[] {
  const promise = (one: T) => promiseOf(one) * (one.weight ?? 1);
  return undecided.toSorted((a, b) => promise(b) - promise(a)).slice(0, most);
}
