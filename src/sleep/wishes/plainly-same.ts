import { foldText } from "../../core/guard/leak-words.ts";
import type { Wish } from "./wish.ts";

/**
 * A sentence for comparison: its words in order, without case and without surrounding punctuation. Pure punctuation (`==`, `'`)
 * stays, and so does the case of `userId`, because it may be the only difference.
 */
export const readPlain = (text: string): string =>
  foldText(text)
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[.,;:!?¡¿"'“”‘’«»()*`。、]+|[.,;:!?"'“”‘’«»()*`。、]+$/g, "") || word)
    .map((word) => (/\p{Ll}\p{Lu}/u.test(word) ? word : word.toLowerCase()))
    .join(" ")
    .trim();

/** All sentences and wordings of a wish. */
export const readWish = ({ wordings, said }: Pick<Wish, "wordings" | "said">): readonly string[] =>
  [...wordings, ...said].map(({ text }) => readPlain(text));

/**
 * Whether two read sentences are the same words in the same order. "Tabs, not spaces" has the same words as "spaces, not tabs",
 * so only a model can compare meanings.
 */
export const isPlainlySame = (a: string, b: string): boolean => a !== "" && a === b;
