import { hashText } from "../canonical.ts";
import { foldLookalikes } from "./fold-lookalikes.ts";
import { foldText, readWords } from "./leak-words.ts";

/**
 * Hashes of every `shingleWords` consecutive words, without case and marks, each once: enough to find the words again,
 * not to read them. A text with more than `maxShingles` is thinned evenly, so that no part of it goes unseen.
 */
export function fingerprint(text: string): readonly string[] {
  const hashes = [...hashShingles(text)].toSorted();
  return hashes.slice(0, maxShingles);
}

/**
 * Whether so many consecutive words of a text stand in what the fingerprints were taken of, and in none of the `trusted`
 * texts.
 */
export function sharesText(
  text: string,
  untrusted: ReadonlySet<string>,
  trusted: readonly string[] = [],
): boolean {
  const shared = [...hashShingles(text)].filter((hash) => untrusted.has(hash));
  if (shared.length === 0) return false;
  const own = new Set(trusted.flatMap((each) => [...hashShingles(each)]));
  return shared.some((hash) => !own.has(hash));
}

export const shingleWords = 8;

/** About 600 kB of prose; a digest of more keeps a part of its shingles, and a rule has many. */
const maxShingles = 100_000;

function hashShingles(text: string): Set<string> {
  const words = readWords(foldLookalikes(foldText(text))).map((word) => word.text);
  const hashes = new Set<string>();
  for (let at = 0; at + shingleWords <= words.length; at += 1)
    hashes.add(hashText(words.slice(at, at + shingleWords).join(" ")).slice(0, hashDigits));
  return hashes;
}

// 48 bits: a chance match among a million shingles is one in ten million rules
const hashDigits = 12;
