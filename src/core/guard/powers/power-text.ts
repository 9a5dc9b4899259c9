import { foldLookalikes } from "../fold-lookalikes.ts";
import { foldText } from "../leak-words.ts";

/** A text prepared for the search for powers: disguises are removed, and every line stays in place. */
export interface PowerText {
  /** As written, but with look-alike letters made Latin. */
  readonly written: string;
  /** Also with character references, defanged addresses and marks inside words resolved. */
  readonly plain: string;
  readonly sentences: readonly PowerPiece[];
  /** Text between backticks, and every line of a fenced block. */
  readonly code: readonly Code[];
}

export interface Code extends PowerPiece {
  /** The text before it in its line; empty in a fenced block. */
  readonly lead: string;
  /** It's in a block marked as shell code. */
  readonly isShell: boolean;
}

export interface PowerPiece {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

export function readPowerText(text: string): PowerText {
  const written = foldLookalikes(foldText(text.replaceAll("\r\n", "\n")));
  const plain = resolveDisguises(written.replaceAll(regionMarker, ""));
  const { prose, fenced } = splitFences(plain);
  return {
    written,
    plain,
    sentences: prose.flatMap(splitSentences),
    code: [...prose.flatMap(findSpans), ...fenced],
  };
}

const regionMarker = /<!-- whetstone:[\w-]+:(?:start|end) -->/g;

export const lineAt = (text: string, index: number): number => {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
};

/** Every match of a global pattern, with its line. */
export const matchPieces = (text: string, pattern: RegExp): readonly PowerPiece[] =>
  Array.from(text.matchAll(pattern), ({ 0: match, index }) => ({ text: match, line: lineAt(text, index) }));

function resolveDisguises(text: string): string {
  return text
    .replaceAll(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (whole, hex?: string, decimal?: string) =>
      fromCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16), whole),
    )
    .replaceAll(
      /&(lt|gt|amp|quot|period|sol|colon|commat|lowbar);/g,
      (_, name: string) => entities[name] ?? "",
    )
    .replaceAll(/(?<![ \t])[ \t]*[[({](?:\.|dot)[\])}][ \t]*/gi, ".")
    .replaceAll(/(?<![ \t])[ \t]*[[({](?:@|at)[\])}][ \t]*/gi, "@")
    .replaceAll(
      /(?<=\w) (?:dot|DOT) (?=(?:\w+ (?:dot|DOT) )?(?:com|net|org|io|dev|example|co|app|info|xyz|ru|cn)\b)/g,
      ".",
    )
    .replaceAll(/\bhxxp(?=s?:)/gi, "http")
    .replaceAll(/(\*{1,3})(?=\S)([^*\n]{1,200}?)(?<=\S)\1/g, "$2")
    .replaceAll(/(?<=\p{L})(?:\*{1,3}|\\)(?=\p{L})/gu, "");
}

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  period: ".",
  sol: "/",
  colon: ":",
  commat: "@",
  lowbar: "_",
};

const fromCode = (code: number, otherwise: string): string =>
  code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : otherwise;

/**
 * Splits the text at fences, and gives the lines in fences as code. A fence that is never closed is ignored, because
 * it would hide everything after it.
 */
function splitFences(text: string): {
  readonly prose: readonly PowerPiece[];
  readonly fenced: readonly Code[];
} {
  const lines = text.split("\n");
  const marks = lines.map((line) => fenceMark.exec(line)?.[1]);
  const prose: PowerPiece[] = [];
  const fenced: Code[] = [];
  let start = 0;
  const flush = (end: number) => {
    if (end > start) prose.push({ text: lines.slice(start, end).join("\n"), line: start + 1 });
  };
  for (let at = 0; at < lines.length; at += 1) {
    const [line = "", mark] = [lines[at], marks[at]];
    const end =
      mark === undefined ? -1 : marks.findIndex((each, later) => later > at && each?.startsWith(mark));
    if (mark === undefined || end === -1) continue;
    flush(at);
    const isShell = shells.test(line.slice(line.indexOf(mark) + mark.length));
    for (let inside = at + 1; inside < end; inside += 1) {
      const code = lines[inside]?.trim() ?? "";
      if (code !== "") fenced.push({ text: code, line: inside + 1, lead: "", isShell });
    }
    start = at + 1;
    flush(end);
    start = end + 1;
    at = end;
  }
  flush(lines.length);
  return { prose, fenced };
}

const fenceMark = /^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(`{3,}|~{3,})/;
const shells =
  /^\s*\{?\.?(?:sh|bash|zsh|fish|shell|console|terminal|shell-?session|powershell|pwsh|ps1|bat|batch|cmd|dos|dockerfile|makefile)\b/i;

/** A line break inside a paragraph doesn't end a sentence; the next list item, the next key or a blank line does. */
function splitSentences({ text, line }: PowerPiece): readonly PowerPiece[] {
  const found: PowerPiece[] = [];
  let from = 0;
  for (const { index, 0: gap } of [...text.matchAll(sentenceGap), { index: text.length, 0: "" }]) {
    const raw = text.slice(from, index);
    const sentence = raw.replace(leadingMarks, "").trim();
    const blank = /^\s*/.exec(raw)?.[0].length ?? 0;
    if (sentence !== "")
      found.push({ text: sentence.replaceAll(/\s+/g, " "), line: line + lineAt(text, from + blank) - 1 });
    from = index + gap.length;
  }
  return found;
}

const sentenceGap =
  /(?<=[.!?]["')*_`]{0,3})(?:[ \t]+(?:\n[ \t]*)?|\n[ \t]*)(?=[\p{Lu}\p{N}"'(*_`[])|\n[ \t]*(?=\n)|\n(?=[ \t]*(?:[-*+>#|<]|\d+[.)]|---|[\w-]+:(?:\s|$)))/gu;
const leadingMarks = /^[\s>#|]*(?:(?:[-*+]|\d+[.)])\s+)?/;

const findSpans = ({ text, line }: PowerPiece): readonly Code[] =>
  Array.from(text.matchAll(codeSpan), ({ 2: code = "", index }) => ({
    text: code.replaceAll(/\s+/g, " ").trim(),
    line: line + lineAt(text, index) - 1,
    lead: text.slice(text.lastIndexOf("\n", index) + 1, index),
    isShell: false,
  }));

export const codeSpan = /(?<!`)(`{1,2})(?!`)([^`]{1,500}?)\1(?!`)/g;
