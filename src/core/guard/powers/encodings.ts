import { type FoundPower, found } from "./addresses.ts";
import { matchPieces, type PowerText } from "./power-text.ts";

/** Finds text that a person can't read at sight, and words about decoding it. */
export const findEncodings = ({ written, sentences }: PowerText): readonly FoundPower[] => [
  ...matchPieces(written, blob)
    .filter(({ text }) => isBlob(text))
    .map((piece) => found("encoded", piece)),
  ...matchPieces(written, escapes).map((piece) => found("encoded", piece)),
  ...sentences.filter(({ text }) => decoding.test(text)).map((piece) => found("encoded", piece)),
];

const blob = /(?<![\w/+=.-])[\w+/-]{20,}={0,2}(?![\w/])/g;

/** Only hexadecimal digits, or a mix of capitals, small letters and digits with hardly a syllable in it. */
function isBlob(text: string): boolean {
  const bare = text.replace(/=+$/, "");
  if (/^(?:[0-9a-f]{32,}|[0-9A-F]{32,})$/.test(bare)) return true;
  if (!/[A-Z]/.test(bare) || !/[a-z]/.test(bare) || (!/\d/.test(bare) && text === bare)) return false;
  const syllables = bare.match(/[A-Z]?[a-z]{3,}/g)?.filter((run) => /[aeiouy]/.test(run)) ?? [];
  return syllables.join("").length < bare.length / 2;
}

const escapes =
  /(?:\\x[0-9a-f]{2}){4,}|(?:\\u\{?[0-9a-f]{4,6}\}?){4,}|(?:\\[0-7]{3}){4,}|(?:%[0-9a-f]{2}){4,}|(?:&#x?[0-9a-f]{2,6};?){3,}|(?<![\w.:-])(?:0x)?[0-9a-f]{2}(?:[ ,:]+(?:0x)?[0-9a-f]{2}){7,}(?![\w.:-])|(?<![\w.])[.\u00b7-]{1,5}(?: [.\u00b7/-]{1,5}){7,}|(?<!\d)[01]{8}(?:[ ,]?[01]{8}){2,}(?!\d)/gi;

const decoding =
  /\b(?:base-?(?:16|32|58|64|85)|b64\w*|rot-?13|atob|btoa|fromCharCode|uudecode|xxd|unhexlify|hex(?:adecimal)?(?:ly)?[- ](?:de|en)cod\w*|caesar|morse|cipher(?:text)?)\b|\bdecod(?:e|es|ed|ing)\b[^.]{0,60}\b(?:follow\w*|act|run|execut\w*|obey|apply|do what)\b|\b(?:read|take|spell)\b[^.]{0,40}\b(?:backwards|in reverse|first letters?)\b/i;

/** Finds text that a Markdown renderer doesn't show, or folds away. Our own region markers don't count. */
export const findUnrendered = ({ written }: PowerText): readonly FoundPower[] =>
  [comment, definition, element, title].flatMap((pattern) =>
    matchPieces(written, pattern).map((piece) => found("comment", piece)),
  );

const comment =
  /<!--(?! whetstone:[\w-]+:(?:start|end) -->)[^]{0,2000}?(?:-->|$)|<[!?](?!--)[^>]{1,500}>|\{\/\*[^]{0,500}?\*\/\}/g;
const definition = /^[ \t]{0,3}\[[^\]\n]{1,80}\]:[ \t]*(?:#|<>|\S+[ \t]+["'(])[^\n]*/gm;
const element =
  /<(?:details|script|style|template|iframe|object|embed|noscript|meta|link|svg|form|input)\b[^>]{0,300}>(?:[^<]{0,300})?|<[a-z][^>]{0,300}?(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0|font-size\s*:\s*0|color\s*:\s*(?:white|transparent|#fff)|\bhidden\b|aria-hidden|position\s*:\s*absolute)[^>]{0,200}>(?:[^<]{0,300})?/gi;
const title = /\]\([^)\s]{1,300}\s+(?:"[^"\n]{24,1000}"|'[^'\n]{24,1000}')\)|!\[[^\]\n]{60,1000}\]\(/g;
