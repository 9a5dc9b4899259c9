import { foldText, readWords } from "../../guard/leak-words.ts";
import { type WordsOfText, readLikeness, wordLikeness } from "../../likeness.ts";
import type { Wish } from "./wish.ts";

/** A sentence as it is compared. */
export interface PlainText {
  readonly words: WordsOfText;
  /** Words with which it may say the opposite. */
  readonly turns: string;
}

export function readPlain(text: string): PlainText {
  const words = readWords(foldText(text)).map((word) => word.text);
  const turns = new Set(words.filter((word) => turning.has(word)));
  return { words: readLikeness(text), turns: [...turns].toSorted().join(" ") };
}

/** Everything that a wish was ever said in or worded by. */
export const readWish = ({ wordings, said }: Pick<Wish, "wordings" | "said">): readonly PlainText[] =>
  [...wordings, ...said].map(({ text }) => readPlain(text));

/**
 * Whether two sentences plainly ask the same: the same words, or nearly all words that say what they are about, with the
 * same numbers and the same word that turns it round. What is the same in meaning only is for a model to say.
 */
export function isPlainlySame(a: PlainText, b: PlainText): boolean {
  if (a.words.plain === "" || b.words.plain === "") return false;
  const alike = wordLikeness(a.words, b.words);
  return alike === 1 || (alike >= same && a.words.values === b.words.values && a.turns === b.turns);
}

const same = 0.75;

const turning: ReadonlySet<string> = new Set(
  "no not never dont doesnt isnt cant cannot wont without unless except only stop avoid instead".split(" "),
);
