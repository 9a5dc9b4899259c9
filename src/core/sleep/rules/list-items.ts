/** A piece of a Markdown text; all pieces in order are the text, byte for byte. */
export type MarkdownPiece = ListItem | OtherText;

export interface ListItem {
  readonly kind: "item";
  readonly start: number;
  readonly end: number;
  /** Everything before its first word: indentation, marker, blanks. */
  readonly prefix: string;
  /** What it says, with LF and without its marker and indentation; all other characters as they are. */
  readonly text: string;
}

export interface OtherText {
  readonly kind: "other";
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a text into its top list items, each with all that belongs to it (continuation lines, nested lists, blocks of
 * code), and what stands between them.
 */
export function splitItems(text: string): readonly MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  let at = 0;
  for (const { first, last, prefix, lines } of findItems(readLines(text))) {
    if (first.start > at) pieces.push({ kind: "other", start: at, end: first.start });
    pieces.push({
      kind: "item",
      start: first.start,
      end: last.end,
      prefix,
      text: contentOf(lines, prefix.length),
    });
    at = last.end;
  }
  if (at < text.length) pieces.push({ kind: "other", start: at, end: text.length });
  return pieces;
}

/** The lines of an item with this prefix, as `splitItems` reads them back. */
export function writeItem(text: string, prefix: string, lineEnd: string): string {
  const indent = " ".repeat(prefix.length);
  const [first = "", ...rest] = text.split("\n");
  return [prefix + first, ...rest.map((line) => (line === "" ? "" : indent + line))].join(lineEnd);
}

interface Line {
  readonly start: number;
  /** Behind its line end. */
  readonly end: number;
  readonly text: string;
}

interface FoundItem {
  readonly first: Line;
  last: Line;
  readonly prefix: string;
  readonly lines: Line[];
}

/** Where a block of code began, and whether it is inside an item by its indentation. */
interface OpenFence {
  readonly mark: string;
  readonly isInside: boolean;
}

const marker = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/;
const fence = /^[ \t]*(`{3,}|~{3,})/;
const heading = /^ {0,3}#{1,6}(?:\s|$)/;

function findItems(lines: readonly Line[]): readonly FoundItem[] {
  const items: FoundItem[] = [];
  let open: FoundItem | undefined;
  let waiting: Line[] = [];
  let fenced: OpenFence | undefined;
  const take = (item: FoundItem, line: Line) => {
    item.lines.push(...waiting, line);
    item.last = line;
    waiting = [];
  };
  for (const line of lines) {
    const isBlank = line.text.trim() === "";
    const isNested = open !== undefined && widthOf(line.text) >= widthOf(open.first.text) + 2;
    // a block of code inside an item cannot outlive it
    if (fenced?.isInside === true && !isBlank && !isNested) fenced = undefined;
    if (fenced !== undefined) {
      if (open !== undefined) take(open, line);
      if (closes(line.text, fenced.mark)) fenced = undefined;
      continue;
    }
    if (isBlank) {
      if (open !== undefined) waiting.push(line);
      continue;
    }
    const opening = fence.exec(line.text)?.[1];
    const isContinued: boolean = waiting.length === 0 && !marker.test(line.text) && !heading.test(line.text);
    if (open !== undefined && (isNested || isContinued)) {
      take(open, line);
      if (opening !== undefined) fenced = { mark: opening, isInside: isNested };
      continue;
    }
    open = undefined;
    waiting = [];
    const prefix = marker.exec(line.text)?.[0];
    if (opening !== undefined) fenced = { mark: opening, isInside: false };
    else if (prefix !== undefined) {
      open = { first: line, last: line, prefix, lines: [line] };
      items.push(open);
      const inner = fence.exec(line.text.slice(prefix.length))?.[1];
      if (inner !== undefined) fenced = { mark: inner, isInside: true };
    }
  }
  return items;
}

const closes = (line: string, mark: string): boolean => {
  const text = line.trim();
  return text.startsWith(mark) && text.replaceAll(mark.charAt(0), "") === "";
};

function contentOf([first, ...rest]: readonly Line[], width: number): string {
  const below = rest.map(({ text }) => (text.trim() === "" ? "" : withoutIndent(text, width)));
  return [first?.text.slice(width) ?? "", ...below].join("\n").trimEnd();
}

/** At most `width` columns of leading blanks fall away. */
function withoutIndent(line: string, width: number): string {
  const found = new RegExp(`^[ \\t]{0,${width}}`).exec(line)?.[0].length ?? 0;
  return line.slice(found);
}

const widthOf = (line: string): number => (/^[ \t]*/.exec(line)?.[0] ?? "").replaceAll("\t", "    ").length;

function readLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push({ start, end, text: text.slice(start, end).replace(/\r?\n$/, "") });
    start = end;
  }
  return lines;
}
