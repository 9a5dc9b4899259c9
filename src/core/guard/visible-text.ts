import { droppedExact, formWithout } from "./leak-views.ts";
import { connectives, wordKey } from "./leak-words.ts";

/** The part of a task that its target sees. */
export interface VisibleText {
  /** Whether it contains these words in a row. */
  readonly holds: (key: string) => boolean;
  /** The same for three words, without connectives. */
  readonly holdsThree: (key: string) => boolean;
  readonly holdsCode: (text: string) => boolean;
}

/** Prepares texts that a target sees for lookups. */
export function readVisible(texts: readonly string[]): VisibleText {
  const words = ` ${texts.map(wordKey).join(" \u0000 ")} `;
  let [threes, code]: [Set<string> | undefined, string | undefined] = [undefined, undefined];
  return {
    holds: (key) => words.includes(` ${key} `),
    holdsThree: (key) => (threes ??= threesOf(words)).has(key),
    holdsCode: (text) =>
      (code ??= formWithout(droppedExact, texts.join("\u0000"))).includes(formWithout(droppedExact, text)),
  };
}

function threesOf(text: string): Set<string> {
  const words = text.split(" ").filter((word) => word !== "" && !connectives.has(word));
  return new Set(words.map((word, at) => `${word} ${words[at + 1]} ${words[at + 2]}`));
}
