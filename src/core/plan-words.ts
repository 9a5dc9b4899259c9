import type { Chance, Detectable } from "./gate/claim/plan-claim.ts";
import { wouldBeSentence } from "./asked-words.ts";
import { plural } from "./plural.ts";

export const noTestSentence = "There is no test split, so no gain is claimed.";
export const nothingLeftSentence =
  "Nothing is left to buy: the journal has every result. The same command shows what they came to.";
export const notReadSentence = "The test split is not read, so no gain is claimed.";

/** Few tasks that all serve the search, and how many more a test takes; `waiting` ones are kept for it. */
export function sharedSentence(tasks: number, waiting: number, lacking: number): string {
  const kept =
    waiting === 0 ? "" : ` ${plural(waiting, "newer task")} ${waiting === 1 ? "waits" : "wait"} for it.`;
  return `${plural(tasks, "task")} can't both train a skill and test it, so all of them train it. ${onTheseAlone} With ${lacking} more, a test is possible.${kept}`;
}

export const onTheseAlone = "The result is a hypothesis: its verdict is about these tasks alone.";

/** No outcome could be a claim. */
export const tooSmallSentence = (tasksNeeded: number, trialsNeeded: number | null): string =>
  `The test split is too small for any claim: ${tasksNeeded} tasks${trialsNeeded === null ? "" : ` or ${trialsNeeded} trials`} would do.`;

/** Below six groups of tasks. */
export const neverProofSentence =
  "So few tasks can show that a skill is higher on these tasks, never that it is better.";

/** What a claim of some size could come to. */
export interface ProvableFacts extends Detectable {
  readonly tasks: number;
  readonly trials: number;
  readonly limits: {
    readonly possible: boolean;
    readonly proof: boolean;
    readonly tasksNeeded: number;
    readonly trialsNeeded: number | null;
  };
  /** Its number among the texts that were compared on these tasks. @default 1 */
  readonly read?: number;
  /** How the sentence calls that text; a search may also end with one that was compared already. @default "It" */
  readonly text?: string;
}

/** What a claim can show and what it cannot, before any money. */
export function provableSentence(
  { tasks, trials, limits, read = 1, text, ...found }: ProvableFacts,
  what = "The sealed test",
): string {
  if (!limits.possible) return tooSmallSentence(limits.tasksNeeded, limits.trialsNeeded);
  const size = `${plural(tasks, "task")}, ${plural(trials, "trial")} each`;
  const can =
    found.detectable === null
      ? `${what} (${size}) will hardly find any gain.`
      : `${what} (${size}) finds a gain in 80 of 100 cases if it is ${leastGain(found)}. Smaller gains will often stay unproven.`;
  return [can, ...(limits.proof ? [] : [neverProofSentence]), ...wouldBeSentence(read, text)].join(" ");
}

/** `19 points or more on all tasks alike, or 33 on some topics only` */
export function leastGain({ detectable, detectableOnSome }: Detectable): string {
  if (detectableOnSome !== null && detectableOnSome <= (detectable ?? 1))
    return `${inPoints(detectable ?? 1)} points or more, on all tasks alike or on some topics only`;
  const even = `${inPoints(detectable ?? 1)} points or more on all tasks alike`;
  return detectableOnSome === null
    ? `${even}; on some topics only, hardly any is found`
    : `${even}, or ${inPoints(detectableOnSome)} on some topics only`;
}

const inPoints = (effect: number): number => Math.round(100 * effect);

/** What a comparison could have found, with the noise that it met. */
export function foundableSentence({ detectable, detectableOnSome = null }: Partial<Detectable>): string {
  if (detectable === undefined) return "";
  return detectable === null
    ? "A comparison like this will hardly find any difference."
    : `A comparison like this finds a difference in 80 of 100 cases if it is ${leastGain({ detectable, detectableOnSome })}.`;
}

/** `42–79 %`: the chance for a gain on some topics, and for one on all tasks alike. */
export function chanceText({ power, onSome }: Pick<Chance, "power" | "onSome">): string {
  if (power === null || onSome === null) return "–";
  const [low, high] = [Math.min(power, onSome), Math.max(power, onSome)].map(inPoints);
  return low === high ? `${high} %` : `${low}–${high} %`;
}
