import { type RegionSpan, lineEndOf } from "../skill/regions.ts";
import { type MarkdownBlock, allBlocks, readBlocks } from "./blocks.ts";
import { type TextChange, changeText, closeGap } from "./change-text.ts";
import { isSameList } from "./insert-content.ts";
import { countOn, numberOf, renumber } from "./numbering.ts";
import { type MarkdownPlace, placesAt } from "./place.ts";

/**
 * Removes words from a part of a text, and their remains: an empty line with its marker, adjoining blank lines, doubled
 * spaces. The list is renumbered. Undefined if the content of an item would lose its head.
 */
export function removeSpan(text: string, part: RegionSpan, span: RegionSpan): string | undefined {
  const places = placesAt(text, part, span.start);
  const place = places.at(-1);
  const block = place?.blocks[place.index];
  const lines = wholeLines(text, part, span);
  const [left, right] = [text.slice(lines.start, span.start), text.slice(span.end, lines.end)];
  if (block?.kind === "code" && !(span.start <= block.start && lines.end >= block.end)) {
    const { start, end } = left.trim() === "" && right.trim() === "" ? lines : span;
    return text.slice(0, start) + text.slice(end);
  }
  if (!emptyStart.test(left) || !emptyEnd.test(right))
    return isMark.test(text.slice(span.start, span.end)) && left.trim() === ""
      ? undefined
      : closeWords(text, behindMarks(text, lines, span), left);
  const isHead = ({ kind, start, end }: MarkdownBlock) =>
    (kind === "item" || kind === "heading") && lines.start <= start && start < lines.end && end > lines.end;
  if (allBlocks(readBlocks(text, part)).some(isHead)) return undefined;
  const level =
    places.findLast(({ blocks, index }) => (blocks[index]?.start ?? -1) >= lines.start) ?? places[0];
  const counted = level === undefined ? text : changeText(text, countWithout(level, lines));
  const [before, after] = [counted.slice(0, lines.start), counted.slice(lines.end)];
  return needsGap(level?.blocks ?? [], lines) ? before + lineEndOf(text) + after : closeGap(before, after);
}

const isMark = /^(?:[-*+]|\d{1,9}[.)]|#{1,6})$/;
const emptyStart = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)?$/;
const emptyEnd = /^[.,;:!?]?[ \t]*(?:\r?\n)?$/;

/** The lines that a span touches, with their line ends. */
export function wholeLines(text: string, part: RegionSpan, { start, end }: RegionSpan): RegionSpan {
  const newline = text.indexOf("\n", end);
  return {
    start: Math.max(part.start, text.lastIndexOf("\n", start - 1) + 1),
    end: newline < 0 || newline >= part.end ? part.end : newline + 1,
  };
}

/** If a span begins with the marker of an item or a heading whose line continues: the words after the marker. */
export function behindMarks(text: string, lines: RegionSpan, { start, end }: RegionSpan): RegionSpan {
  const isFirst = text.slice(lines.start, start).trim() === "";
  const marks = /^(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+/.exec(isFirst ? text.slice(start, end) : "")?.[0] ?? "";
  return { start: start + marks.length, end };
}

/** Whether the blocks directly before and after removed lines need a blank line between them. */
function needsGap(blocks: readonly MarkdownBlock[], lines: RegionSpan): boolean {
  // includes the rest of a block whose other lines are removed
  const before = blocks.find(({ start, end }) => start < lines.start && end >= lines.start);
  const after = blocks.find(({ start }) => start === lines.end);
  return before !== undefined && after !== undefined && !isSameList(before, after);
}

/** Renumbers after removed lines: the list that they were in, or one that now follows another. */
function countWithout({ blocks }: MarkdownPlace, lines: RegionSpan): readonly TextChange[] {
  const gone = blocks.filter(({ start, end }) => start >= lines.start && end <= lines.end);
  const [first] = gone;
  const last = gone.at(-1);
  if (first === undefined || last === undefined) return [];
  const next = blocks.indexOf(last) + 1;
  const ordered = gone.slice(gone.findLastIndex((block) => numberOf(block) === undefined) + 1);
  const [number, lastNumber] = [numberOf(ordered[0]), numberOf(last)];
  if (number !== undefined && lastNumber !== undefined)
    return renumber(countOn(blocks, next, lastNumber), number);
  const before = numberOf(blocks[blocks.indexOf(first) - 1]);
  const after = numberOf(blocks[next]);
  if (before === undefined || after === undefined || before === after) return [];
  return renumber(countOn(blocks, next, after - 1), before + 1);
}

/** The rest of a line: one space between words, none before a full stop or at the line's end. */
function closeWords(text: string, { start, end }: RegionSpan, left: string): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (emptyStart.test(left)) return before + after.replace(/^[ \t]+/, "");
  return (/^(?:[ \t.,;:!?]|\r?\n|$)/.test(after) ? before.replace(/[ \t]+$/, "") : before) + after;
}
