/** One word of a text, in the form used for comparison, and its position. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The form of a text that word offsets refer to: NFKC, without invisible format characters. */
export const foldText = (text: string): string => text.normalize("NFKC").replaceAll(/\p{Cf}/gu, "");

/**
 * The words of a folded text, without case, punctuation and markdown. Numbers get one spelling (1,488.00 is 1488),
 * each character of a script without spaces is a word of its own, and spaced-out letters are joined again.
 */
export function readWords(folded: string): readonly Word[] {
  const words: Word[] = [];
  for (const match of folded.matchAll(wordPattern)) {
    const text = foldWord(match[0]);
    if (text !== "") words.push({ text, start: match.index, end: match.index + match[0].length });
  }
  return joinSpacedOut(words);
}

/** Words as one text, for comparison: `1873`, `imre valdasson`. */
export const wordKey = (text: string): string =>
  readWords(foldText(text))
    .map((word) => word.text)
    .join(" ");

/** Words left out when passages are compared, so that `a|b|c` is found in "a, b or c". */
export const connectives: ReadonlySet<string> = new Set(["and", "or"]);

/** Whether a word says what a text is about: a number, or at least three letters that aren't a function word. */
export const isTopicWord = (word: string): boolean =>
  /\p{N}/u.test(word) ? word.length >= 2 : word.length >= 3 && !functionWords.has(word);

/** How much a shared word counts: 1 for a telling one, less for one character of a script without spaces. */
export function wordWeight(word: string): number {
  if (isCharacter(word)) return characterWeight(word);
  return isTopicWord(word) && (word.length >= 4 || /\p{N}/u.test(word)) ? 1 : 0;
}

const syllabic = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}`;
const spaceless = String.raw`${syllabic}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;

const wordPattern = new RegExp(
  String.raw`[${spaceless}]|\p{N}+(?:[.,:]\p{N}+)+|(?:(?![${spaceless}])[\p{L}\p{M}\p{N}_'\u2019])+`,
  "gu",
);

const oneCharacter = new RegExp(`^[${spaceless}]$`, "u");
const oneSyllable = new RegExp(`^[${syllabic}]$`, "u");

/** Whether it's one character of a script without spaces, not a word of several letters. */
export const isCharacter = (word: string): boolean => oneCharacter.test(word);

/** Two ideographs make about a word; Thai, Lao, Khmer and Burmese take four letters. */
export const characterWeight = (character: string): number => (oneSyllable.test(character) ? 0.5 : 0.25);

function foldWord(raw: string): string {
  const word = raw
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/['\u2019]|^_+|_+$/g, "");
  return /^\d[\d.,]*$/.test(word) ? foldNumber(word) : word;
}

function foldNumber(number: string): string {
  let plain = number;
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(number)) plain = number.replaceAll(",", "");
  else if (/^\d{1,3}(?:\.\d{3})+,\d+$/.test(number)) plain = number.replaceAll(".", "").replace(",", ".");
  else if (/^\d+,\d+$/.test(number)) plain = number.replace(",", ".");
  return /^\d+\.\d+$/.test(plain) ? plain.replace(/\.?0+$/, "") : plain;
}

// "1 8 7 3" is 1873: three single characters in a row are one word
function joinSpacedOut(words: readonly Word[]): readonly Word[] {
  const joined: Word[] = [];
  for (let at = 0; at < words.length; at += 1) {
    let end = at;
    while (isSingle(words[end])) end += 1;
    const [first, last] = [words[at], words[end - 1]];
    if (end - at >= 3 && first !== undefined && last !== undefined) {
      const text = words
        .slice(at, end)
        .map((word) => word.text)
        .join("");
      joined.push({ text, start: first.start, end: last.end });
      at = end - 1;
    } else if (first !== undefined) joined.push(first);
  }
  return joined;
}

const isSingle = (word: Word | undefined): boolean =>
  word !== undefined && word.text.length === 1 && !isCharacter(word.text);

const functionWords: ReadonlySet<string> = new Set(
  `about after again all also and answer answers any are asked because been before being between both but can could did does done down
  each even every few for from get gets give given gives got had has have having her here him his how instead into its itself just
  like made make makes many may more most much must need needs never not now off once one only onto other our out over
  own per question questions reply same say says shall she should since some such task tasks than that the their them then there these they thing things
  this those three through thus too two under until upon use used uses using very via was were what when where whether
  which while who whom whose why will with within without would yes yet you your`.split(/\s+/),
);
