import { plural } from "../../plural.ts";
import { promiseOf, ownTasks, type WishStanding } from "./standing.ts";
import { type TaskEvidence, armsOfTosses } from "./toss.ts";

/** The rollouts of a wording on the tasks of its habit. */
export interface EvidenceSums {
  readonly tasks: number;
  /** Rollouts in each arm. */
  readonly rollouts: number;
  /** The sum of their scores. */
  readonly with: number;
  readonly without: number;
  /** Real conversations that it continued, and those in which the person wouldn't have had to repeat the request. */
  readonly talks: number;
  readonly spared: number;
}

export function sumEvidence(evidence: readonly TaskEvidence[]): EvidenceSums {
  const own = ownTasks(evidence);
  const arms = armsOfTosses(own.flatMap(({ tosses }) => tosses));
  const sum = (scores: readonly number[]) => scores.reduce((total, score) => total + score, 0);
  const talks = own.filter(({ isTalk }) => isTalk === true);
  return {
    tasks: own.length,
    rollouts: arms.with.length,
    with: sum(arms.with),
    without: sum(arms.without),
    talks: talks.length,
    spared: talks.filter(({ tosses }) => armsOfTosses(tosses).with.every((score) => score === 1)).length,
  };
}

/** `0 of 12 → 12 of 12 on 4 of your tasks`; in percent if scores are more than right or wrong. */
export function sumsText({ tasks, rollouts, with: after, without, talks, spared }: EvidenceSums): string {
  const isWhole = Number.isInteger(after) && Number.isInteger(without);
  const part = (score: number) =>
    isWhole ? `${score} of ${rollouts}` : `${Math.round((100 * score) / rollouts)}%`;
  const counts = `${part(without)} → ${part(after)} on ${tasks} of your tasks`;
  return talks === 0
    ? counts
    : `${counts}; with it, you wouldn't have had to say it in ${spared} of ${plural(talks, "conversation")}`;
}

/** The evidence for a wording, in one clause; empty if no task of its habit was rolled yet. */
export function wishStandingText(standing: WishStanding, evidence: readonly TaskEvidence[]): string {
  const sums = sumEvidence(evidence);
  if (sums.tasks === 0) return standing === "harms" ? "does harm on other tasks" : "";
  const counts = sumsText(sums);
  switch (standing) {
    case "proven":
      return `proven: ${counts} (e = ${promiseOf({ evidence }).toFixed(1)})`;
    case "works":
      return `works on your tasks, not proven: ${counts}`;
    case "harms":
      return `does harm: ${counts}`;
    case "hopeless":
      return `no sign of an effect: ${counts}`;
    case "open":
      return `not proven: ${counts}`;
  }
}
