import { type Interval, claimInterval } from "./claim-interval.ts";
import { bestPossibleP } from "./claim-limits.ts";
import { type ClaimTest, claimP, claimTest } from "./claim-p.ts";
import {
  type ClaimPair,
  type FinishedPair,
  fillPairs,
  isFinished,
  meanDifference,
  swapArms,
  taskDifference,
} from "./claim-pair.ts";
import { earlyStop } from "./early-stop.ts";

/**
 * `no-difference`: neither better nor worse was shown, and an effect worth finding is ruled out; `underpowered`:
 * it is not ruled out; `undecided`: missing results could still change the answer.
 */
export type VerdictWord = "better" | "worse" | "no-difference" | "underpowered" | "undecided";

export interface ClaimOptions {
  /** The chance of a false "better", and of a false "worse". */
  readonly alpha: number;
  /** The smallest difference of means worth finding. @default 0.1 */
  readonly effect?: number;
}

export interface ClaimVerdict {
  readonly verdict: VerdictWord;
  readonly test: ClaimTest;
  /** With a handful of tasks the verdict holds on these tasks, not on others like them. */
  readonly scope: "tasks like these" | "these tasks";
  /** Of "better"; with results missing, the largest that could still come out. */
  readonly p: number;
  /** Of "worse", likewise. */
  readonly pWorse: number;
  /** Mean of candidate minus incumbent over the finished tasks. */
  readonly difference: number;
  readonly interval: Interval;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Trials with a result, both arms. */
  readonly rollouts: number;
  /** Trials without one. */
  readonly missing: number;
}

/** Whether the candidate is better or worse than the incumbent, and how sure that is. */
export function claimVerdict(
  pairs: readonly ClaimPair[],
  { alpha, effect = 0.1 }: ClaimOptions,
): ClaimVerdict {
  const finished = pairs.filter(isFinished);
  const signs = finished.map((pair) => Math.sign(taskDifference(pair)));
  const count = (sign: number) => signs.filter((one) => one === sign).length;
  const trials = pairs.flatMap(({ incumbent, candidate }) => [...incumbent, ...candidate]);
  const missing = trials.filter((trial) => trial === null).length;
  const test = claimTest(pairs.length);
  const interval = claimInterval(finished, 1 - 2 * alpha);
  return {
    verdict: word(pairs, interval, alpha, effect),
    test,
    scope: test === "within-task" ? "these tasks" : "tasks like these",
    p: claimP(fillPairs(pairs, "worst")),
    pWorse: claimP(fillPairs(swapArms(pairs), "worst")),
    difference: meanDifference(finished),
    interval,
    wins: count(1),
    losses: count(-1),
    ties: count(0),
    rollouts: trials.length - missing,
    missing,
  };
}

function word(pairs: readonly ClaimPair[], interval: Interval, alpha: number, effect: number): VerdictWord {
  const better = earlyStop(pairs, alpha);
  if (better === "accept") return "better";
  const worse = earlyStop(swapArms(pairs), alpha);
  if (worse === "accept") return "worse";
  if (better === "continue" || worse === "continue" || !pairs.every(isFinished)) return "undecided";
  return interval.low > -effect && interval.high < effect && couldPass(pairs, alpha)
    ? "no-difference"
    : "underpowered";
}

function couldPass(pairs: readonly FinishedPair[], alpha: number): boolean {
  const trials = Math.max(...pairs.map(({ candidate }) => candidate.length), 0);
  return bestPossibleP({ tasks: pairs.length, trials }) <= alpha;
}
