import { isNoSecret } from "./drawn-tokens.ts";
import { hashNames } from "./hash-names.ts";
import { classes, entropy, isOrdinaryValue, isTemplate, isUuid, wordShare } from "./secret-value.ts";
import type { Span } from "./span.ts";
import { secretWords } from "./told-secrets.ts";

export interface SpokenSecret extends Span {
  /** `known`: from now on in any position; `here`: only in this sentence; `doubtful`: a person has to check. */
  readonly weight: "known" | "here" | "doubtful";
}

/** A sentence that names a secret, with a word from no language: `the password, in case you need it: x`. */
export function findSpokenSecrets(softened: string): readonly SpokenSecret[] {
  const found: SpokenSecret[] = [];
  for (const { hints, words, sure } of secretWords) {
    if (!hints.test(softened)) continue;
    for (const [from, sentence] of sentencesWith(softened, words))
      for (const { index, 0: written } of sentence.matchAll(wordPattern)) {
        const word = written.replace(/[.,:?!*_~]+$/, (end) => (end.startsWith("!") ? "!" : ""));
        if (isOdd(word) && !isNoSecret(softened, from + index, word))
          found.push({ ...placed(from + index, word), weight: weigh(word, sure) });
      }
  }
  for (const { words, number } of numbers)
    for (const [from, sentence] of sentencesWith(softened, words))
      for (const { index, 0: digits } of sentence.matchAll(number))
        found.push({ ...placed(from + index, digits), weight: "here" });
  return found;
}

const kind = "assignment";
const placed = (start: number, { length }: string): Span => ({ start, end: start + length, kind });

/** Secrets that are only digits. */
const numbers = [
  {
    words:
      /(?<![\p{L}\d_-])(?:pin|pin[ -]?code|passcode|geheimzahl|пин(?:-?код)?|पिन)(?![\p{L}\d_-])|暗証番号/giu,
    number: /(?<![\w.,:#/+-])\d{4,8}(?![\w/%-]|[.,:]\d)/g,
  },
  { words: /\bSSN\b|\bsocial security\b/gi, number: /(?<![\w-])\d{3}-\d\d-\d{4}(?![\w-])/g },
];

/** Sentences of prose with one of the words, each once, with their positions. */
function* sentencesWith(text: string, words: RegExp): Generator<readonly [number, string]> {
  let after = 0;
  for (const { index } of text.matchAll(words)) {
    if (index < after) continue;
    const [from, to] = [Math.max(after, index - reach), index + reach];
    // no word is cut in two
    const before = text.slice(from, index).replace(from > after ? /^\S+/ : "", "");
    const behind = text.slice(index, to).replace(to < text.length ? /\S+$/ : "", "");
    const begun = before.split(sentenceEnd).at(-1) ?? "";
    const rest = behind.split(sentenceEnd)[0] ?? "";
    after = index + Math.max(rest.length, 1);
    if (isProse(begun + rest)) yield [index - begun.length, begun + rest];
  }
}

/** The longest sentence we consider. */
const reach = 300;

/** A stop before a blank, if the next word isn't in lower case; an empty line; the next list item. */
const sentenceEnd = /(?<=[.!?]["'”’)»]?)\s+(?=[^\s\p{Ll}])|(?<=[。！？])|\n\s*(?=\n|[-*+#>|]|\d+[.)] )/u;

/** Mostly words and blanks, unlike code. */
function isProse(sentence: string): boolean {
  const parts = sentence.trim().split(/[\s\d.,-]*\s+/);
  const plain = parts.filter((part) => /^["'“„«(]*\p{L}[\p{L}\p{M}'’-]*["'”’»).,;:!?…]*$/u.test(part));
  const isEnough = plain.length > 1 || (plain.length === 1 && !/[:=]/.test(sentence));
  // scripts without blanks between words
  return (isEnough && plain.length >= parts.length / 2) || /[\u3040-\u9fff]{2}/.test(sentence);
}

/** Printable, between blanks, quotes or letters of other scripts. */
const wordPattern = /(?<=^|[^!-~«]|["'`(])(?:(?!["'`,;<>{}()[\]|])[!-~]){6,200}(?=$|[^!-~]|["'`),;])/g;

/** A letter and a digit, or signs between letters. */
function isOdd(word: string): boolean {
  if (word.length < 6 || isOrdinaryValue(word) || isTemplate(word) || isName(word)) return false;
  const [hasLetter, hasDigit] = [/[A-Za-z]/.test(word), /\d/.test(word)];
  const hasSign = /[!@#$%^&?].*[A-Za-z\d]/.test(word) || /\d!$/.test(word);
  return hasLetter && (hasDigit ? word.length >= 8 || hasSign : hasSign && classes(word) >= 3);
}

/** A path, an address, a version, a measure, a hash, a ticket, or a program's name. */
function isName(word: string): boolean {
  const lead = (word.split(/[-_.:]/)[0] ?? "").toLowerCase();
  return (
    /[\\/=]|::|->|\.\.|^(?:--?[A-Za-z]|@|#\d|[~.&])|:\d+$|^[A-Z]+#\d+$|@[\w-]+\.|\d\.\d/.test(word) ||
    /^[\w$.-]+\.[A-Za-z_]\w*$/.test(word) ||
    /^\d+[-–]?[a-z]+(?:-[a-z]+)*$/i.test(word) ||
    /^[A-Z]+[A-Z\d]*(?:[-_][A-Z\d]+)*$/.test(word) ||
    /^[\da-f]{7,}$/i.test(word) ||
    isUuid(word) ||
    [lead, lead.replace(/\d+$/, "")].some((name) => hashNames.has(name)) ||
    (/^\w*_\w*$/.test(word) && wordShare(word) > 0.4) ||
    /^[a-z]+(?:[A-Z][a-z]+)+V?\d{0,2}$/.test(word) ||
    /^[a-z-]*(?:pass(?:wor[dt])?|token|secret|key)[a-z-]*-?v?\d{0,2}$/.test(word)
  );
}

function weigh(word: string, sure: boolean): SpokenSecret["weight"] {
  if (classes(word) === 4) return sure ? "known" : "here";
  // `argon2id`, `base64url`
  if (/^[a-z]+\d{1,2}[a-z]+$/.test(word)) return "doubtful";
  const isDrawn = word.length >= 12 && /\d/.test(word) && wordShare(word) <= 0.5 && entropy(word) >= 2.7;
  return sure || isDrawn ? "here" : "doubtful";
}
