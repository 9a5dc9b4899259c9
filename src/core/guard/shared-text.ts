import { hashText } from "../canonical.ts";
import { findSentences } from "../sentences.ts";
import { foldLookalikes } from "./fold-lookalikes.ts";
import { characterWeight, foldText, isCharacter, readWords } from "./leak-words.ts";

/**
 * Hashes every few consecutive words, without case and marks: enough to find the words again, not to read them. Scripts
 * without spaces are hashed by characters. Each hash comes once, and a text keeps at most `maxMarks`.
 */
export function fingerprint(text: string): readonly string[] {
  const words = wordsOf(text);
  const marks = new Set([...shinglesOf(words, 2), ...shinglesOf(words, 3)].map(({ mark }) => mark));
  return [...marks].toSorted().slice(0, maxMarks);
}

/** Hashes of text the agent was given, and hashes of the person's own words. */
export interface ToldMarks {
  readonly told: ReadonlySet<string>;
  readonly own: ReadonlySet<string>;
}

/** Whether a sentence is almost entirely in the untrusted text, and in none of the `trusted` texts. */
export function sharesText(
  text: string,
  untrusted: ReadonlySet<string>,
  trusted: readonly string[] = [],
): boolean {
  if (untrusted.size === 0) return false;
  const marks = { told: untrusted, own: new Set(trusted.flatMap(fingerprint)) };
  const sentences = findSentences(text).map(({ start, end }) => text.slice(start, end));
  return [...sentences, text].some((sentence) => isCopied(sentence, marks));
}

/** Whether most of a sentence, or a long part of it, was copied. The person's own words aren't counted. */
export function isCopied(sentence: string, { told, own }: ToldMarks): boolean {
  const words = wordsOf(sentence);
  const [isTold, isOwn] = [words.map(() => false), words.map(() => false)];
  for (const { at, size, mark } of shinglesOf(words, Math.min(words.length, 3)))
    if (own.has(mark)) isOwn.fill(true, at, at + size);
    else if (told.has(mark)) isTold.fill(true, at, at + size);
  let [all, copied, run, longest] = [0, 0, 0, 0];
  for (const [at, word] of words.entries()) {
    const size = sizeOfWord(word);
    if (isOwn[at] !== true) all += size;
    if (isTold[at] === true && isOwn[at] !== true) copied += size;
    run = isTold[at] === true ? run + size : 0;
    longest = Math.max(longest, run);
  }
  return copied >= minCopied && (copied >= mostly * all || longest >= inARow);
}

/** How many words a text has; approximate for scripts without spaces. */
export const countWords = (text: string): number =>
  wordsOf(text).reduce((sum, word) => sum + sizeOfWord(word), 0);

const [mostly, minCopied, inARow] = [0.75, 1.5, 8];

/** Enough for about 1 MB of prose. */
const maxMarks = 300_000;

interface Shingle {
  readonly at: number;
  readonly size: number;
  readonly mark: string;
}

function shinglesOf(words: readonly string[], usual: number): readonly Shingle[] {
  return words.flatMap((word, at) => {
    const size = isCharacter(word) ? 2 / characterWeight(word) : usual;
    if (size < 2 || at + size > words.length) return [];
    const mark = hashText(words.slice(at, at + size).join(" ")).slice(0, markDigits);
    return [{ at, size, mark }];
  });
}

const wordsOf = (text: string): readonly string[] =>
  readWords(foldText(text).replaceAll(letters, undisguise)).map((word) => word.text);

const letters = /[\p{L}\p{M}]+/gu;

/** Capitals and small letters of another script look like different Latin letters, so we compare small ones. */
const undisguise = (word: string): string =>
  foldLookalikes(/\p{Script=Latin}/u.test(word) ? word : word.toLowerCase());

const sizeOfWord = (word: string): number => (isCharacter(word) ? characterWeight(word) : 1);

// 40 bits: the chance of a random match among a million marks is one in a million
const markDigits = 10;
