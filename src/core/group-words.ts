import type { WorstGroup } from "./gate/claim/worst-group.ts";
import { points } from "./measure/percent.ts";
import { plural } from "./plural.ts";

/** Below this number, it's easy to miss a few tasks that move far in the other direction. */
export const fewGraded = 30;

/** Facts about tasks that may get worse although the mean rises. */
export interface FallFacts {
  /** Whether a trial scored between 0 and 1. */
  readonly graded: boolean;
  /** The largest shares of tasks like these that could fall or rise, at the interval's level. */
  readonly couldFall: number;
  readonly couldRise: number;
  /** Set if tasks have groups. */
  readonly worst?: WorstGroup;
}

interface Facts extends FallFacts {
  readonly verdict: string;
  readonly tasks: number;
  readonly units: number;
  readonly wins: number;
  readonly losses: number;
  /** The earlier text's score. At 0 nothing can get worse. */
  readonly before: number;
}

/** Names the worst group if tasks have groups, else how many tasks could get worse. */
export function groupSentences(claim: Facts): readonly string[] {
  const { verdict, graded, units, worst, before } = claim;
  const isLopsided = graded && units < fewGraded && (verdict === "better" || verdict === "worse");
  return [
    ...(worst === undefined ? [] : [worstSentence(worst)]),
    ...(isLopsided
      ? [lopsidedSentence(claim)]
      : worst === undefined && before > 0
        ? [fallSentence(claim)]
        : []),
  ];
}

/** How many tasks could get worse that weren't measured. */
export const fallSentence = ({ couldFall }: Pick<FallFacts, "couldFall">): string =>
  `Of tasks like these, up to ${share(couldFall)} could fall.`;

/** The test is exact if rises and falls of the same size are equally likely, which a few graded tasks can't show. */
function lopsidedSentence({ verdict, units, tasks, couldFall, couldRise, wins, losses }: Facts): string {
  const [moved, could, verb] = verdict === "worse" ? [wins, couldRise, "rise"] : [losses, couldFall, "fall"];
  const few = `${units} ${units === tasks ? "tasks" : "groups"} with graded scores`;
  return `As few as ${few} can miss a rare, large ${verb}. ${moved === 0 ? "None did" : `${moved} did`} here, and up to ${share(could)} of tasks like these still could.`;
}

/** `Worst of 4 groups: refunds, −31.0 points on 8 tasks, at worst −55.0 (corrected for 4 groups).` */
export function worstSentence({ name, tasks, groups, difference, bound }: WorstGroup): string {
  const at = `${name}, ${points(difference)} on ${plural(tasks, "task")}`;
  if (bound === undefined) return `Worst of ${groups} groups: ${at}, too few results for a bound.`;
  const isWorse = bound.high < 0;
  return `${isWorse ? "Worse on one group" : `Worst of ${groups} groups`}: ${at}, at worst ${points(bound.low)} (corrected for ${groups} groups).`;
}

const share = (part: number): string => `${Math.ceil(100 * part)}%`;
