import { promiseOf, ownTasks, type WishStanding } from "./standing.ts";
import { type TaskEvidence, armsOfTosses } from "./toss.ts";

/** What was rolled of a wording on the tasks of its habit. */
export interface EvidenceSums {
  readonly tasks: number;
  /** Rollouts in each arm. */
  readonly rollouts: number;
  /** The sum of their scores. */
  readonly with: number;
  readonly without: number;
}

export function sumEvidence(evidence: readonly TaskEvidence[]): EvidenceSums {
  const own = ownTasks(evidence);
  const arms = armsOfTosses(own.flatMap(({ tosses }) => tosses));
  const sum = (scores: readonly number[]) => scores.reduce((total, score) => total + score, 0);
  return { tasks: own.length, rollouts: arms.with.length, with: sum(arms.with), without: sum(arms.without) };
}

/** `0 of 12 → 12 of 12 on 4 of your tasks`; in per cent where scores are more than right or wrong. */
export function sumsText({ tasks, rollouts, with: after, without }: EvidenceSums): string {
  const isWhole = Number.isInteger(after) && Number.isInteger(without);
  const part = (score: number) =>
    isWhole ? `${score} of ${rollouts}` : `${Math.round((100 * score) / rollouts)} %`;
  return `${part(without)} → ${part(after)} on ${tasks} of your tasks`;
}

/** What is known of a wording, in one clause; empty where no task of its habit was rolled yet. */
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
