import { type ClaimPair, differences, isFinished } from "../../gate/claim/claim-pair.ts";
import type { MinedTask } from "../mine/mined-task.ts";
import type { NightEvidence, Rule } from "./rule.ts";

/** A rule is proven from here on; a useless one gets here with a chance of at most one in ten, however often it is looked at. */
export const provenAt = 10;

/** Losses clearly lead from here on: a rule that helps is given up with a chance of at most one in three. */
const rejectedAt = 3;

const mostNights = 20;
const mostTasks = 40;

export interface Tally {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Nights that counted something. */
  readonly nights: number;
}

export type RuleVerdict = "proven" | "rejected" | "dropped" | "open";

/**
 * What all nights say about a rule; asked after any number of them, at no price. Ties tell nothing either way, but they
 * use up a rule's time.
 */
export function verdictOn({ wins, losses, ties, nights }: Tally): RuleVerdict {
  const value = eValue(wins, losses);
  if (value >= provenAt) return "proven";
  if (eValue(losses, wins) >= rejectedAt) return "rejected";
  const isLong = nights >= mostNights || wins + losses + ties >= mostTasks;
  return isLong && value <= 1 ? "dropped" : "open";
}

/**
 * The bet that wins come with an unknown chance above one half, against the coin that a useless rule is:
 * 2^(m+1) · w! · l! / (m+1)! · Pr(Bin(m+1, ½) ≤ w) with m = w + l. Under a useless or harmful rule it reaches x at any
 * time with a chance of at most 1/x.
 */
export function eValue(wins: number, losses: number): number {
  const trials = wins + losses + 1;
  // the power of two cancels against the binomial's, so the tail is summed without it
  const logChoices = [0];
  for (let k = 1; k <= wins; k += 1) {
    logChoices.push((logChoices[k - 1] ?? 0) + Math.log((trials - k + 1) / k));
  }
  return Math.exp(logFactorial(wins) + logFactorial(losses) - logFactorial(trials) + logSum(logChoices));
}

/** Wins, losses and ties of all nights. */
export function tallyOf({ nights }: Pick<Rule, "nights">): Tally {
  const sum = (pick: (night: NightEvidence) => number) =>
    nights.reduce((total, night) => total + pick(night), 0);
  return {
    wins: sum(({ wins }) => wins),
    losses: sum(({ losses }) => losses),
    ties: sum(({ ties }) => ties),
    nights: nights.length,
  };
}

/** The tasks that may still count for a rule: not counted yet, and from other conversations than the rule itself. */
export function freshTasks(
  { nights, provenance }: Pick<Rule, "nights" | "provenance">,
  tasks: readonly MinedTask[],
): readonly MinedTask[] {
  const used = new Set([...nights.flatMap((night) => night.tasks), ...provenance.tasks]);
  const conversations = new Set(provenance.conversations);
  return tasks.filter(({ task, seen }) => !used.has(task.id) && !seen.some((id) => conversations.has(id)));
}

/** The trials of one task under the incumbent and under the incumbent with the rule. */
export interface TaskTrials extends ClaimPair {
  readonly task: string;
}

/** One night's evidence. A task that misses a result in either arm is left out and stays fresh. */
export function countNight(night: string, trials: readonly TaskTrials[]): NightEvidence {
  const finished = trials.flatMap(({ task, ...pair }) => (isFinished(pair) ? [{ task, pair }] : []));
  const ahead = differences(finished.map(({ pair }) => pair));
  return {
    night,
    wins: ahead.filter((difference) => difference > 0).length,
    losses: ahead.filter((difference) => difference < 0).length,
    ties: ahead.filter((difference) => difference === 0).length,
    tasks: finished.map(({ task }) => task),
  };
}

/** The rule with what a night found; a night that counted nothing leaves it as it was. */
export const withNight = (rule: Rule, evidence: NightEvidence): Rule =>
  evidence.tasks.length === 0 ? rule : { ...rule, nights: [...rule.nights, evidence] };

/** `3 won, 1 lost, 2 tied`. */
export const countsText = ({ wins, losses, ties }: Pick<Tally, "wins" | "losses" | "ties">): string =>
  `${wins} won, ${losses} lost, ${ties} tied`;

const logFactorial = (n: number): number => {
  let sum = 0;
  for (let k = 2; k <= n; k += 1) sum += Math.log(k);
  return sum;
};

function logSum(logs: readonly number[]): number {
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0));
}
