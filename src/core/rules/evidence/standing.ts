import { type Capitals, capitalsOf, eBetter, eSome, eWorse } from "./bets.ts";
import { proveTogether } from "./prove-together.ts";
import type { TaskEvidence } from "./toss.ts";

/** A wording as far as it was measured. */
export interface Measured {
  readonly evidence: readonly TaskEvidence[];
  /** How often the wish had been said before its first task was rolled: fixed since then. */
  readonly weight?: number;
  /** The night that proved it. It is not measured since. */
  readonly proven?: string;
}

/**
 * `proven`: with all wordings that were ever measured, by tasks as units. `works`: it helps on the tasks that were rolled, which is
 * less. `harms`: it does worse on its own tasks, or on others. `hopeless`: measured long enough without a sign. `open`: not
 * known yet.
 */
export type WishStanding = "proven" | "works" | "open" | "harms" | "hopeless";

/** A wording that helps no task gets here with a chance of at most one in ten, however often it is looked at. */
const worksAt = 10;

/** A wording that does no harm is given up by these with a chance of at most one in three and one in ten. */
const [harmsOwnAt, harmsOthersAt] = [3, 10];

/** Of harm to other tasks: so much makes a proof wait. */
const doubtAt = 2;

/** So many tasks of its habit, and nothing to be seen. */
const longEnough = 8;

/** How each of all wordings stands that nights ever had, in their order. */
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

/** How a wording stands by its own tasks, whatever others were measured. */
export function standsAlone(evidence: readonly TaskEvidence[]): Exclude<WishStanding, "proven"> {
  const { own, others } = capitalsBy(evidence);
  if (eWorse(own) >= harmsOwnAt || eWorse(others) >= harmsOthersAt) return "harms";
  if (eSome(own) >= worksAt && eWorse(own) < 1) return "works";
  return ownTasks(evidence).length >= longEnough && eBetter(own) <= 1 ? "hopeless" : "open";
}

/** Other tasks do not speak against it: else its proof waits. */
const isHarmless = ({ evidence }: Measured): boolean => eWorse(capitalsBy(evidence).others) < doubtAt;

/** The e-value of "its mean effect on tasks of its habit is above zero". */
export const promiseOf = ({ evidence }: Pick<Measured, "evidence">): number =>
  eBetter(capitalsBy(evidence).own);

/** What is known of a wording is asked for again and again, and changes once a night. */
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

/** Whether it was no better on two tasks or more, taken together: one task may be of the wrong kind. */
export const isNoBetter = (gains: readonly number[]): boolean =>
  // sums of parts of a point are not exact
  gains.length >= 2 && gains.reduce((sum, gain) => sum + gain, 0) < 1e-9;

/** Whether rolling more tasks may still decide something about it. */
export const isUndecided = (standing: WishStanding): boolean => standing === "open" || standing === "works";

/** Which are measured tonight: the most promising first, by what they have shown and how often they were said. */
export function mostPromising<T extends Measured>(undecided: readonly T[], most: number): readonly T[] {
  const promise = (one: T) => promiseOf(one) * (one.weight ?? 1);
  return undecided.toSorted((a, b) => promise(b) - promise(a)).slice(0, most);
}
