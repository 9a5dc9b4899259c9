import type { Chance, Detectable } from "./gate/claim/plan-claim.ts";
import { wouldBeSentence } from "./asked-words.ts";
import { plural } from "./plural.ts";

export const noTestSentence = "Without a test split, no gain is claimed.";
export const nothingLeftSentence =
  "Nothing is left to buy: the journal has every result. The command itself shows them.";
export const notReadSentence = "The test split isn't read, so no gain is claimed.";

/** Explains that all of a few tasks train the skill, and how many more a test needs; `waiting` ones are kept for it. */
export function sharedSentence(tasks: number, waiting: number, lacking: number): string {
  const kept =
    waiting === 0 ? "" : ` ${plural(waiting, "newer task")} ${waiting === 1 ? "waits" : "wait"} for it.`;
  return `${plural(tasks, "task")} can't both train a skill and test it, so all of them train it. ${onTheseAlone} With ${lacking} more, a test is possible.${kept}`;
}

export const onTheseAlone = "The result is a hypothesis: its verdict is about these tasks alone.";

/** For tests so small that no result could support a claim. */
export const tooSmallSentence = (tasksNeeded: number, trialsNeeded: number | null): string =>
  `The test split is too small for any claim: ${tasksNeeded} tasks${trialsNeeded === null ? "" : ` or ${trialsNeeded} trials`} would be enough.`;

/** For fewer than six groups of tasks. */
export const neverProofSentence =
  "So few tasks can show that a skill scores higher on them, but never that it's better.";

/** Facts about what a claim of some size could show. */
export interface ProvableFacts extends Detectable {
  readonly tasks: number;
  readonly trials: number;
  readonly limits: {
    readonly possible: boolean;
    readonly proof: boolean;
    readonly tasksNeeded: number;
    readonly trialsNeeded: number | null;
  };
  /** Its number among the texts compared on these tasks. @default 1 */
  readonly read?: number;
  /** The sentence's name for that text; a search may also end with one that was already compared. @default "It" */
  readonly text?: string;
}

/** Says which gains a claim can find, before any money is spent. */
export function provableSentence(
  { tasks, trials, limits, read = 1, text, ...found }: ProvableFacts,
  what = "The sealed test",
): string {
  if (!limits.possible) return tooSmallSentence(limits.tasksNeeded, limits.trialsNeeded);
  const size = `${plural(tasks, "task")}, ${plural(trials, "trial")} each`;
  const can =
    found.detectable === null
      ? `${what} (${size}) is unlikely to find any gain.`
      : `${what} (${size}) has 80% power to find a gain of ${leastGain(found)}. Smaller gains will often stay unproven.`;
  return [can, ...(limits.proof ? [] : [neverProofSentence]), ...wouldBeSentence(read, text)].join(" ");
}

/** `19 points or more on all tasks alike, or 33 on some topics only` */
export function leastGain({ detectable, detectableOnSome }: Detectable): string {
  if (detectableOnSome !== null && detectableOnSome <= (detectable ?? 1))
    return `${inPoints(detectable ?? 1)} points or more, on all tasks alike or on some topics only`;
  const even = `${inPoints(detectable ?? 1)} points or more on all tasks alike`;
  return detectableOnSome === null
    ? `${even}; one on some topics only is unlikely to be found`
    : `${even}, or ${inPoints(detectableOnSome)} on some topics only`;
}

const inPoints = (effect: number): number => Math.round(100 * effect);

/** Says which differences a comparison could have found, given the noise in its results. */
export function foundableSentence({ detectable, detectableOnSome = null }: Partial<Detectable>): string {
  if (detectable === undefined) return "";
  return detectable === null
    ? "A comparison like this is unlikely to find any difference."
    : `A comparison like this has 80% power to find a difference of ${leastGain({ detectable, detectableOnSome })}.`;
}

/** `42–79%`: the power to find a gain on some topics, and one on all tasks alike. */
export function chanceText({ power, onSome }: Pick<Chance, "power" | "onSome">): string {
  if (power === null || onSome === null) return "–";
  const [low, high] = [Math.min(power, onSome), Math.max(power, onSome)].map(inPoints);
  return low === high ? `${high}%` : `${low}–${high}%`;
}
