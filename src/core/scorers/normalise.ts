/**
 * An answer in the form that is compared: NFKC, lower case, no punctuation, no article before a word, single spaces.
 * Marks with a meaning stay, so 1.5 isn't 15, -5 isn't 5 and C# isn't C. An answer made only of marks stays whole.
 */
export function normaliseAnswer(text: string): string {
  const folded = foldSpace(text.normalize("NFKC").toLowerCase().replaceAll("\u2212", "-"));
  const bare = foldSpace(folded.replaceAll(joints, "").replaceAll(gaps, " "));
  return bare === "" ? folded : bare.replaceAll(article, "");
}

/** The words of a normalised answer. Han, Hiragana and Katakana don't use spaces, so each character is a word. */
export const answerTokens = (text: string): readonly string[] =>
  normaliseAnswer(text).match(
    /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]+/gu,
  ) ?? [];

/** Harmonic mean of precision and recall over words, counted with repetition. */
export const tokenF1 = (expected: string, actual: string): number =>
  wordF1(answerTokens(expected), answerTokens(actual));

/** The same, for words that are already split. */
export function wordF1(wanted: readonly string[], came: readonly string[]): number {
  if (wanted.length === 0 || came.length === 0) return wanted.length === came.length ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of came) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    shared += 1;
  }
  return (2 * shared) / (wanted.length + came.length);
}

// removed without a gap, as in 1,000 and don't and U.S.; a decimal point stays
const joints = /(?<=\d),(?=\d{3}(?!\d))|['\u2019]|(?<=\p{L})\.|\.(?!\d)/gu;

// every other mark is a gap, except a decimal point, a sign before a number and the # of a name
const gaps = /(?![.#-])\p{P}|`|(?<!\p{L})#|(?<=[\p{L}\d])-|-(?!\p{Sc}?\.?\d)/gu;

// before a single letter, "a" is a letter too: the answer "A, B" doesn't choose one
const article = /(?<=^|\s)(?:a\s+(?!\p{L}(?!\S))|(?:an|the)\s+)(?=\S)/gu;

const foldSpace = (text: string): string => text.trim().replaceAll(/\s+/g, " ");
