import { shownLevel } from "../../shown-level.ts";
import { binomialInterval } from "../binomial-interval.ts";
import { claimInterval } from "./claim-interval.ts";
import { type ClaimTest, fewestForProof } from "./claim-p.ts";
import {
  type ClaimPair,
  type FinishedPair,
  countUnits,
  differences,
  isFinished,
  meanDifference,
  unitSums,
} from "./claim-pair.ts";

/** The group of tasks on which the later skill does worst, and how bad it can be there. */
export interface WorstGroup {
  readonly name: string;
  readonly tasks: number;
  /** The number of groups examined. */
  readonly groups: number;
  readonly difference: number;
  /** At the shown level for all groups together; missing if the group has too few results. */
  readonly bound?: { readonly low: number; readonly high: number };
}

/** Undefined if fewer than two groups have names and results. */
export function worstGroup(
  pairs: readonly ClaimPair[],
  names: readonly string[],
  steady: boolean,
): WorstGroup | undefined {
  const named = pairs.flatMap((pair, task) =>
    isFinished(pair) && (names[task] ?? "") !== "" ? [{ pair, name: names[task] ?? "" }] : [],
  );
  const groups = [...Map.groupBy(named, ({ name }) => name)].map(([name, own]) => {
    const some = own.map(({ pair }) => pair);
    return { name, pairs: some, difference: meanDifference(some) };
  });
  const [worst] = groups.toSorted((one, other) => one.difference - other.difference);
  if (worst === undefined || groups.length < 2) return undefined;
  const { name, difference } = worst;
  const found = { name, tasks: worst.pairs.length, groups: groups.length, difference };
  // Bonferroni: the group was chosen by its result
  const level = 1 - (1 - shownLevel) / groups.length;
  const test = testOf(worst.pairs, level, steady);
  if (test === undefined) return found;
  const { low, high } = claimInterval(worst.pairs, level, test, steady);
  return { ...found, bound: { low, high } };
}

/** Across its tasks if there are enough to reject anything at this level, otherwise over their trials. */
function testOf(pairs: readonly FinishedPair[], level: number, steady: boolean): ClaimTest | undefined {
  const units = countUnits(pairs);
  if (units >= fewestForProof && 2 ** -units <= (1 - level) / 2) return "sign-flip";
  return !steady && pairs.some(({ candidate }) => candidate.length > 1) ? "within-task" : undefined;
}

/** The largest shares of tasks like these that may fall and rise, at the shown level: exact for any scores. */
export function sharesThatMove(pairs: readonly ClaimPair[]): {
  readonly couldFall: number;
  readonly couldRise: number;
} {
  const finished = pairs.filter(isFinished);
  const signs = unitSums(finished, differences(finished)).map(Math.sign);
  const most = (sign: number) =>
    binomialInterval(signs.filter((one) => one === sign).length, signs.length, 1 - shownLevel)[1];
  return { couldFall: most(-1), couldRise: most(1) };
}
