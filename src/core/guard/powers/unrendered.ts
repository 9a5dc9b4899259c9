import { type FoundPower, found } from "./addresses.ts";
import { matchPieces, type PowerText } from "./power-text.ts";

/** What a renderer of markdown does not show, or folds away. Our own region markers are no comments. */
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
