import { foldText } from "../../core/guard/leak-words.ts";
import type { Wish } from "./wish.ts";

/**
 * A sentence as it is compared: its words in their order, without case, without the punctuation around them. What is nothing
 * but punctuation (`==`, `'`) stays, and so does the case of `userId`: sentences may differ in nothing else.
 */
export const readPlain = (text: string): string =>
  foldText(text)
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[.,;:!?¡¿"'“”‘’«»()*`。、]+|[.,;:!?"'“”‘’«»()*`。、]+$/g, "") || word)
    .map((word) => (/\p{Ll}\p{Lu}/u.test(word) ? word : word.toLowerCase()))
    .join(" ")
    .trim();

/** Everything that a wish was ever said in or worded by. */
export const readWish = ({ wordings, said }: Pick<Wish, "wordings" | "said">): readonly string[] =>
  [...wordings, ...said].map(({ text }) => readPlain(text));

/**
 * Whether two sentences that were read ask the same in the same words. "Tabs, not spaces" has the words of "spaces, not tabs":
 * what is the same in meaning only is for a model to say.
 */
export const isPlainlySame = (a: string, b: string): boolean => a !== "" && a === b;
