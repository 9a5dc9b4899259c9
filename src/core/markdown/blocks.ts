import { remember } from "../remember.ts";
import type { RegionSpan } from "../skill/regions.ts";
import { sameEnds } from "../line-diff.ts";

/** A line without its line end; offsets are those of the whole text. */
export interface MarkdownLine {
  readonly start: number;
  /** Behind its line end. */
  readonly end: number;
  readonly text: string;
  /** What stands before `text`: the indentation of the item that it is inside. */
  readonly indent: string;
}

/**
 * A piece of a Markdown text that stands by itself: whole lines, without the blank lines around it. An item has all that
 * belongs to it: continuation lines, nested lists, blocks of code. HTML and indented code are paragraphs here.
 */
export interface MarkdownBlock {
  readonly kind: "heading" | "rule" | "code" | "comment" | "quote" | "table" | "item" | "paragraph";
  readonly start: number;
  readonly end: number;
  readonly lines: readonly MarkdownLine[];
  /** Everything before an item's first word: indentation, marker, blanks. Empty for other kinds. */
  readonly prefix: string;
  /** A block of code or a comment that nothing closes. */
  readonly isOpen: boolean;
}

/** The blocks of a text, or of a part of it, in order; between them are blank lines only. */
export function readBlocks(text: string, part: RegionSpan = { start: 0, end: text.length }) {
  if (text.length < shortest) return findBlocks(readLines(text, part));
  const readings = readingsOf(text);
  const known = readings.find((one) => one.part.start === part.start && one.part.end === part.end);
  if (known !== undefined) return known.blocks;
  const blocks = findBlocks(readLines(text, part));
  readings.push({ part, blocks });
  return blocks;
}

/** Parts of a text that were read. A search makes its texts from a single one, by a few edits each. */
const readingsOf = remember(64, (): { part: RegionSpan; blocks: readonly MarkdownBlock[] }[] => []);

/** A shorter text is read again as fast as it is found. */
const shortest = 200;

/** Reads a changed text: blocks before and behind the change stay, so an edit costs what it touches and not the whole text. */
export function readChanged(before: string, after: string): void {
  const { head, tail } = sameEnds(before, after);
  const by = after.length - before.length;
  const readings = readingsOf(after);
  if (readings.length > 0) return;
  for (const { part, blocks } of readingsOf(before)) {
    const start = part.start <= head ? part.start : part.start + by;
    const end = part.end < before.length - tail ? part.end : part.end + by;
    // the last block before the change may go on in it, and an indented one depends on the block before
    let first = blocks.findLastIndex((block) => block.end < head);
    while (first > 0 && isFarIn(blocks[first]?.lines[0])) first -= 1;
    let rest = blocks.length;
    const isAsBefore = (line: MarkdownLine) => {
      if (line.start < after.length - tail || isFarIn(line)) return false;
      const at = blocks.findIndex((block) => block.start === line.start - by);
      if (at >= 0) rest = at;
      return at >= 0;
    };
    const changed = { start: blocks[first]?.start ?? start, end };
    const read = findBlocks(readLines(after, changed), isAsBefore);
    const later = blocks.slice(rest).map((block) => moveBlock(block, by));
    readings.push({
      part: { start, end },
      blocks: [...blocks.slice(0, Math.max(first, 0)), ...read, ...later],
    });
  }
}

/** Whether the kind of a line depends on an item before it. */
const isFarIn = (line: MarkdownLine | undefined): boolean => line !== undefined && widthOf(line.text) >= 4;

function moveBlock(block: MarkdownBlock, by: number): MarkdownBlock {
  if (by === 0) return block;
  const lines = block.lines.map((line) => ({ ...line, start: line.start + by, end: line.end + by }));
  return { ...block, start: block.start + by, end: block.end + by, lines };
}

/** The blocks below an item's first line. */
export const readInside = ({ lines, prefix }: MarkdownBlock): readonly MarkdownBlock[] =>
  findBlocks(lines.slice(1).map((line) => outdent(line, prefix.length)));

/** All blocks, each followed by those inside it. */
export const allBlocks = (blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] =>
  blocks.flatMap((block) => [block, ...(block.kind === "item" ? allBlocks(readInside(block)) : [])]);

/** 1 to 6; 0 for what is no heading. */
export function headingLevel({ kind, lines }: MarkdownBlock): number {
  if (kind !== "heading") return 0;
  const marks = /^ {0,3}(#{1,6})/.exec(lines[0]?.text ?? "")?.[1]?.length;
  return marks ?? (lines.at(-1)?.text.includes("=") === true ? 1 : 2);
}

interface OpenBlock extends MarkdownBlock {
  kind: MarkdownBlock["kind"];
  end: number;
  readonly lines: MarkdownLine[];
  isOpen: boolean;
}

/** What ends a block of code or a comment, and whether it is inside an item by its indentation. */
interface Closing {
  readonly isInside: boolean;
  closes(line: string): boolean;
}

const marker = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/;
const fence = /^[ \t]*(`{3,}(?!.*`)|~{3,})/;
const tableRule = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*\|[ \t|:-]*$/;
const kinds = [
  ["rule", /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/],
  ["heading", /^ {0,3}#{1,6}(?:\s|$)/],
  ["code", fence],
  ["comment", /^[ \t]*<!--/],
  ["item", marker],
  ["quote", /^ {0,3}>/],
  ["table", /^ {0,3}\|/],
] as const;

/** Ends before the first block that begins with a line of `ends`. */
function findBlocks(
  lines: Iterable<MarkdownLine>,
  ends: (line: MarkdownLine) => boolean = () => false,
): readonly MarkdownBlock[] {
  const blocks: OpenBlock[] = [];
  let open: OpenBlock | undefined;
  let waiting: MarkdownLine[] = [];
  let closing: Closing | undefined;
  const take = (block: OpenBlock, line: MarkdownLine) => {
    block.lines.push(...waiting, line);
    block.end = line.end;
    waiting = [];
  };
  for (const line of lines) {
    const isBlank = line.text.trim() === "";
    const isNested = open?.kind === "item" && widthOf(line.text) >= widthOf(open.prefix) + 2;
    // what is inside an item cannot outlive it
    if (closing?.isInside === true && !isBlank && !isNested) closing = undefined;
    if (open !== undefined && closing !== undefined) {
      take(open, line);
      if (!closing.closes(line.text)) continue;
      closing = undefined;
      open.isOpen = false;
      if (open.kind !== "item") open = undefined;
      continue;
    }
    if (isBlank) {
      if (open?.kind === "item") waiting.push(line);
      else open = undefined;
      continue;
    }
    const kind = kindOf(line.text, open?.kind);
    if (open?.kind === "paragraph" && tableRule.test(line.text)) open.kind = "table";
    if (open?.kind === "paragraph" && /^ {0,3}(?:=+|-+)[ \t]*$/.test(line.text)) {
      take(open, line);
      open.kind = "heading";
      open = undefined;
      continue;
    }
    if (open === undefined || !(isNested || (waiting.length === 0 && continues(kind, open.kind)))) {
      if (ends(line)) break;
      waiting = [];
      const prefix = kind === "item" ? (marker.exec(line.text)?.[0] ?? "") : "";
      open = { kind, start: line.start, end: line.end, lines: [], prefix, isOpen: false };
      blocks.push(open);
    }
    take(open, line);
    const isFirst = open.lines.length === 1;
    closing = closingOf(
      line.text.slice(isFirst ? open.prefix.length : 0),
      isNested || (isFirst && kind === "item"),
    );
    if (closing !== undefined && open.kind !== "item") open.isOpen = true;
    if (closing === undefined && (kind === "heading" || kind === "rule" || kind === "comment") && isFirst)
      open = undefined;
  }
  return blocks;
}

function kindOf(line: string, open: MarkdownBlock["kind"] | undefined): MarkdownBlock["kind"] {
  // indented code, or a paragraph that goes on
  if (widthOf(line) >= 4 && open !== "item") return "paragraph";
  // of numbers only a 1 ends a paragraph
  if (open === "paragraph" && /^[ \t]*\d/.test(line) && !/^[ \t]*1[.)]/.test(line)) return "paragraph";
  return kinds.find(([, pattern]) => pattern.test(line))?.[0] ?? "paragraph";
}

/** Whether a line of this kind, without a blank line before it, is more of what is open. */
function continues(kind: MarkdownBlock["kind"], open: MarkdownBlock["kind"]): boolean {
  if (open === "item") return kind !== "item" && kind !== "heading" && kind !== "rule";
  return kind === open ? kind !== "code" : kind === "paragraph" || (kind === "table" && open === "paragraph");
}

function closingOf(line: string, isInside: boolean): Closing | undefined {
  const mark = fence.exec(line)?.[1];
  if (mark !== undefined) return { isInside, closes: (text) => closesFence(text, mark) };
  const comment = /^[ \t]*<!--/.exec(line)?.[0];
  if (comment === undefined || line.includes("-->", comment.length)) return undefined;
  return { isInside, closes: (text) => text.includes("-->") };
}

function closesFence(line: string, mark: string): boolean {
  const text = line.trim();
  return text.startsWith(mark) && text.replaceAll(mark.charAt(0), "") === "";
}

/** At most `width` leading blanks fall away. */
function outdent({ start, end, text, indent }: MarkdownLine, width: number): MarkdownLine {
  const found = new RegExp(`^[ \\t]{0,${width}}`).exec(text)?.[0] ?? "";
  return { start, end, text: text.slice(found.length), indent: indent + found };
}

/** Columns of leading blanks. */
const widthOf = (line: string): number => (/^[ \t]*/.exec(line)?.[0] ?? "").replaceAll("\t", "    ").length;

function* readLines(text: string, part: RegionSpan): Generator<MarkdownLine> {
  for (let start = part.start; start < part.end; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? part.end : Math.min(newline + 1, part.end);
    yield { start, end, text: text.slice(start, end).replace(/\r?\n$/, ""), indent: "" };
    start = end;
  }
}
