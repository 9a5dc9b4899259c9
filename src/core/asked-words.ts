/** The position of a comparison among all those made on its tasks. */
export interface AskedFacts {
  /** Its number among the texts compared on these tasks. */
  readonly read: number;
  /** The number of this look at the same texts. @default 1 */
  readonly look?: number;
  /** How many of the tasks were never used before. @default all */
  readonly fresh?: number;
  /** How many texts are compared at once. @default 1 */
  readonly texts?: number;
  /** Whether earlier comparisons fade. @default "lasts" */
  readonly memory?: "lasts" | "fades";
}

/** Tells people how often these tasks have been used, because each use makes a gain harder to show. */
export function askedSentences({
  read,
  look: at = 1,
  fresh = 0,
  texts = 1,
  memory,
}: AskedFacts): readonly string[] {
  const place =
    texts === 1
      ? `${at === 1 ? `The ${nth(read)} text compared` : `This text was compared before, as the ${nth(read)}`} on these tasks in this journal`
      : `${texts} texts were compared at once and count as one: the ${nth(read)} comparison on these tasks`;
  return [
    `${place}${read === 1 || fresh === 0 ? "" : `, ${fresh} of which are new`}.`,
    ...(read === 1 ? [] : ["Each one makes a gain harder to show; new tasks make up for it."]),
    ...(read > 1 && memory === "fades" ? [fadingSentence] : []),
    ...(at === 1 ? [] : [`Look ${at} at the same texts: looks share one threshold.`]),
  ];
}

const fadingSentence = "In CI, earlier comparisons fade: each counts half after 30 more.";

/** Shown before a claim on tasks that were used before. */
export const wouldBeSentence = (read: number, text = "It"): readonly string[] =>
  read === 1 ? [] : [`${text} would be the ${nth(read)} text compared on these tasks.`];

/** `first`, `12th`, `22nd` */
export function nth(count: number): string {
  if (count === 1) return "first";
  const tail = count % 100 > 10 && count % 100 < 14 ? 0 : count % 10;
  return `${count}${["th", "st", "nd", "rd"][tail] ?? "th"}`;
}
