import { foldText, isTopicWord, readWords } from "./guard/leak-words.ts";
import { inputWords } from "./tasks/near-duplicates.ts";

/** What two texts are compared by. */
export interface WordsOfText {
  readonly plain: string;
  /** Words that say what it is about, without endings. */
  readonly topics: ReadonlySet<string>;
  /** Words that hold a digit. */
  readonly values: string;
}

export function readLikeness(text: string): WordsOfText {
  const words = readWords(foldText(text)).map((word) => word.text);
  return {
    plain: inputWords(text).join(" "),
    topics: new Set(words.filter(isTopicWord).map(withoutEnding)),
    values: words
      .filter((word) => /\p{N}/u.test(word))
      .toSorted()
      .join(" "),
  };
}

/** From 0 to 1: the share of topics that both have; 1 only where the words are the same. */
export function wordLikeness(a: WordsOfText, b: WordsOfText): number {
  if (a.plain === b.plain) return 1;
  let shared = 0;
  for (const topic of a.topics) if (b.topics.has(topic)) shared += 1;
  const all = a.topics.size + b.topics.size - shared;
  // one and the same topic in different words is not yet the same words
  return all === 0 ? 0 : Math.min(shared / all, almost);
}

const almost = 0.99;

/** Plurals and verb forms: enough for English, harmless elsewhere. */
function withoutEnding(word: string): string {
  if (word.length < 5 || /\p{N}/u.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(?:ing|ed|es|s)$/, "")
    .replace(/e$/, "");
}
