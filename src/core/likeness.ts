import { foldText, isTopicWord, readWords } from "./guard/leak-words.ts";
import { inputWords } from "./tasks/near-duplicates.ts";

/** The words that two texts are compared by. */
export interface WordsOfText {
  readonly plain: string;
  /** Words that show the topic, without endings. */
  readonly topics: ReadonlySet<string>;
  /** Words with a digit. */
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

/** The share of topics that both have, from 0 to 1; 1 only if the words are the same. */
export function wordLikeness(a: WordsOfText, b: WordsOfText): number {
  if (a.plain === b.plain) return 1;
  let shared = 0;
  for (const topic of a.topics) if (b.topics.has(topic)) shared += 1;
  const all = a.topics.size + b.topics.size - shared;
  // the same topics in different words don't count as the same text
  return all === 0 ? 0 : Math.min(shared / all, almost);
}

const almost = 0.99;

/** Strips plural and verb endings: good enough for English, harmless for other languages. */
function withoutEnding(word: string): string {
  if (word.length < 5 || /\p{N}/u.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(?:ing|ed|es|s)$/, "")
    .replace(/e$/, "");
}
