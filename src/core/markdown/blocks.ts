import { remember } from "../remember.ts";
import type { RegionSpan } from "../skill/regions.ts";
import { sameEnds } from "../line-diff.ts";

/** A line without its line end; offsets refer to the whole text. */
export interface MarkdownLine {
  readonly start: number;
  /** The offset after its line end. */
  readonly end: number;
  readonly text: string;
  /** The text before `text`: the indentation of the enclosing item. */
  readonly indent: string;
}

/**
 * A self-contained piece of a Markdown text: whole lines, without the blank lines around it. An item includes its
 * continuation lines, nested lists and blocks of code. HTML and indented code are paragraphs here.
 */
export interface MarkdownBlock {
  readonly kind: "heading" | "rule" | "code" | "comment" | "quote" | "table" | "item" | "paragraph";
  readonly start: number;
  readonly end: number;
  readonly lines: readonly MarkdownLine[];
  /** Everything before an item's first word: indentation, marker and spaces. Empty for other kinds. */
  readonly prefix: string;
  /** A block of code or a comment without an end. */
  readonly isOpen: boolean;
}

/** The blocks of a text, or of a part of it, in order; only blank lines separate them. */
export function readBlocks(text: string, part: RegionSpan = { start: 0, end: text.length }) {
  if (text.length < shortest) return findBlocks(readLines(text, part));
  const readings = readingsOf(text);
  const known = readings.find((one) => one.part.start === part.start && one.part.end === part.end);
  if (known !== undefined) return known.blocks;
  const blocks = findBlocks(readLines(text, part));
  readings.push({ part, blocks });
  return blocks;
}

/** Parts of a text that were already read. A search derives its texts from a single one, by a few edits each. */
const readingsOf = remember(64, (): { part: RegionSpan; blocks: readonly MarkdownBlock[] }[] => []);

/** Reading a shorter text again is as fast as looking it up. */
const shortest = 200;

/** Reads a changed text. Blocks around the change are kept, so the cost depends on the edit and not on the whole text. */
export function readChanged(before: string, after: string): void {
  const { head, tail } = sameEnds(before, after);
  const by = after.length - before.length;
  const readings = readingsOf(after);
  if (readings.length > 0) return;
  for (const { part, blocks } of readingsOf(before)) {
    const start = part.start <= head ? part.start : part.start + by;
    const end = part.end < before.length - tail ? part.end : part.end + by;
    // the last block before the change may continue in it, and an indented one depends on the block before
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

/** All blocks, each followed by its inner blocks. */
export const allBlocks = (blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] =>
  blocks.flatMap((block) => [block, ...(block.kind === "item" ? allBlocks(readInside(block)) : [])]);

/** 1 to 6; 0 for other blocks. */
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

/** The end of a block of code or a comment, and whether its indentation puts it inside an item. */
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

/** Stops before the first block that begins with a line of `ends`. */
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
    // a block inside an item can't outlive it
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
  // indented code, or the continuation of a paragraph
  if (widthOf(line) >= 4 && open !== "item") return "paragraph";
  // only the number 1 ends a paragraph
  if (open === "paragraph" && /^[ \t]*\d/.test(line) && !/^[ \t]*1[.)]/.test(line)) return "paragraph";
  return kinds.find(([, pattern]) => pattern.test(line))?.[0] ?? "paragraph";
}

/** Whether a line of this kind, without a blank line before it, continues the open block. */
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

/** Removes at most `width` leading spaces. */
function outdent({ start, end, text, indent }: MarkdownLine, width: number): MarkdownLine {
  const found = new RegExp(`^[ \\t]{0,${width}}`).exec(text)?.[0] ?? "";
  return { start, end, text: text.slice(found.length), indent: indent + found };
}

/** Columns of leading spaces. */
const widthOf = (line: string): number => (/^[ \t]*/.exec(line)?.[0] ?? "").replaceAll("\t", "    ").length;

function* readLines(text: string, part: RegionSpan): Generator<MarkdownLine> {
  for (let start = part.start; start < part.end; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? part.end : Math.min(newline + 1, part.end);
    yield { start, end, text: text.slice(start, end).replace(/\r?\n$/, ""), indent: "" };
    start = end;
  }
}
