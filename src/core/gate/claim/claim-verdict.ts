import { type Interval, claimInterval } from "./claim-interval.ts";
import { shownLevel } from "../../shown-level.ts";
import { claimLimits } from "./claim-limits.ts";
import { type ClaimTest, fewestForProof, fewestTasks, overTasksP } from "./claim-p.ts";
import {
  type ClaimPair,
  type FinishedPair,
  type Trial,
  armMean,
  countAgainst,
  countUnits,
  fillPairs,
  isFinished,
  swapArms,
  taskDifference,
} from "./claim-pair.ts";
import { earlyStop } from "./early-stop.ts";
import { isLossRuledOut } from "./non-inferiority.ts";
import type { ClaimFacts, ClaimWord } from "../../verdict-words.ts";
import { withinTaskP } from "./within-task.ts";
import { sharesThatMove, worstGroup } from "./worst-group.ts";

/** How certain a claim must be, and of what. */
export interface ClaimOptions {
  /** The chance of a false "better", and of a false "no difference". */
  readonly alpha: number;
  /** The chance of a false "worse". @default alpha */
  readonly alphaWorse?: number;
  /** The smallest difference of means worth finding. @default 0.1 */
  readonly effect?: number;
  /** The target gives the same answers every time: repeats aren't evidence, and support no claim. @default false */
  readonly steady?: boolean;
  /** The group of each task, "" if it has none; the verdict names the worst group. @default none */
  readonly groups?: readonly string[];
}

/** A claim's verdict, and its scope. */
export interface ClaimVerdict extends ClaimFacts {
  /** A test across tasks is about tasks like these; a test within tasks is about these alone. */
  readonly scope: "tasks like these" | "these tasks";
}

/**
 * Is the candidate better or worse than the incumbent, and how certain is that?
 *
 * @example
 * const pairs = Array.from({ length: 8 }, () => ({ incumbent: [0], candidate: [1] }));
 * console.log(claimVerdict(pairs, { alpha: 0.05 }).verdict);
 */
export function claimVerdict(
  pairs: readonly ClaimPair[],
  { alpha, alphaWorse = alpha, effect = 0.1, steady = false, groups = [] }: ClaimOptions,
): ClaimVerdict {
  const finished = pairs.filter(isFinished);
  const signs = finished.map((pair) => Math.sign(taskDifference(pair)));
  const count = (sign: number) => signs.filter((one) => one === sign).length;
  const trials = (some: readonly ClaimPair[]) =>
    some.flatMap(({ incumbent, candidate }) => [...incumbent, ...candidate]);
  const missing = trials(pairs.filter((pair) => pair.leftOut !== true)).filter(isNone).length;
  const leftOut = pairs.filter((pair) => pair.leftOut === true && !isFinished(pair)).length;
  const { word, test } = claimWord(pairs, { alpha, alphaWorse, steady });
  const pOf = test === "sign-flip" ? overTasksP : withinTaskP;
  const [before, after] = [armMean(finished, "incumbent"), armMean(finished, "candidate")];
  const worst = worstGroup(pairs, groups, steady);
  return {
    verdict: word === "not-proven" ? wordOfNone(pairs, { alpha, effect, steady, test }) : word,
    test,
    scope: test === "within-task" ? "these tasks" : "tasks like these",
    p: pOf(fillPairs(pairs, "worst")),
    pWorse: pOf(fillPairs(swapArms(pairs), "worst")),
    alpha,
    alphaWorse,
    before,
    after,
    difference: after - before,
    interval: intervalOf(pairs, shownLevel, test, steady),
    wins: count(1),
    losses: count(-1),
    ties: count(0),
    tasks: pairs.length,
    units: countUnits(pairs),
    steady,
    weighted: new Set(pairs.map(({ weight = 1 }) => weight)).size > 1,
    rollouts: trials(pairs).filter((trial) => !isNone(trial)).length,
    missing,
    graded: trials(finished).some((trial) => trial !== 0 && trial !== 1),
    ...sharesThatMove(pairs),
    ...(worst === undefined ? {} : { worst }),
    ...(leftOut === 0 ? {} : { leftOut }),
  };
}

/** The word if nothing was found. "No difference" needs a bound across tasks; a narrow interval is about these alone. */
function wordOfNone(
  pairs: readonly ClaimPair[],
  {
    alpha,
    effect,
    steady,
    test,
  }: Required<Omit<ClaimOptions, "groups" | "alphaWorse">> & { readonly test: ClaimTest },
): ClaimWord {
  const isBounded = isLossRuledOut(pairs, effect, alpha) && isLossRuledOut(swapArms(pairs), effect, alpha);
  if (test === "sign-flip" && isBounded) return "no-difference";
  const { low, high } = intervalOf(pairs, 1 - 2 * alpha, test, steady);
  return low > -effect && high < effect && couldPass(pairs, alpha) ? "even" : "not-proven";
}

const isNone = (trial: Trial): boolean => trial === null;

/** Over finished tasks. For tasks that were left out, the low end assumes their worst result and the high end their best. */
function intervalOf(pairs: readonly ClaimPair[], level: number, test: ClaimTest, steady: boolean): Interval {
  const among = (some: readonly ClaimPair[]) => claimInterval(some.filter(isFinished), level, test, steady);
  const low = among(countAgainst(pairs));
  if (pairs.every((pair) => pair.leftOut !== true || isFinished(pair))) return low;
  const high = among(swapArms(countAgainst(swapArms(pairs))));
  return { ...low, high: high.high };
}

/**
 * Only the word. The test across tasks comes first, and only it can say "better" or "worse". With fewer than twelve
 * units the test over trials may follow, with words of its own. Tasks that were left out count against each word.
 */
export function claimWord(
  pairs: readonly ClaimPair[],
  { alpha, alphaWorse = alpha, steady = false }: Pick<ClaimOptions, "alpha" | "alphaWorse" | "steady">,
): { readonly word: Exclude<ClaimWord, "no-difference" | "even">; readonly test: ClaimTest } {
  const units = countUnits(pairs);
  const over = units < fewestForProof ? "neither" : decide(pairs, { alpha, alphaWorse }, overTasksP);
  if (over === "up") return { word: "better", test: "sign-flip" };
  if (over === "down") return { word: "worse", test: "sign-flip" };
  const hasTrials = pairs.some(({ candidate }) => candidate.length > 1);
  const isNarrow = units < fewestTasks && !steady && hasTrials;
  const within = isNarrow ? decide(pairs, { alpha, alphaWorse }, withinTaskP) : "neither";
  const test = isNarrow ? "within-task" : "sign-flip";
  if (over === "open" || within === "open" || !countAgainst(pairs).every(isFinished))
    return { word: "undecided", test };
  if (within === "up") return { word: "higher", test };
  return { word: within === "down" ? "lower" : "not-proven", test };
}

function decide(
  pairs: readonly ClaimPair[],
  { alpha, alphaWorse }: { readonly alpha: number; readonly alphaWorse: number },
  test: (pairs: readonly FinishedPair[]) => number,
): "up" | "down" | "open" | "neither" {
  const up = earlyStop(countAgainst(pairs), alpha, test);
  if (up === "accept") return "up";
  const down = earlyStop(countAgainst(swapArms(pairs)), alphaWorse, test);
  if (down === "accept") return "down";
  return up === "continue" || down === "continue" ? "open" : "neither";
}

function couldPass(pairs: readonly ClaimPair[], alpha: number): boolean {
  const trials = Math.max(...pairs.map(({ candidate }) => candidate.length), 0);
  return claimLimits({ tasks: countUnits(pairs), trials }, alpha).possible;
}
