import { type RegionSpan, lineEndOf } from "../skill/regions.ts";
import { addContent } from "./add-content.ts";
import { type MarkdownBlock, headingLevel, readBlocks } from "./blocks.ts";
import { changeText } from "./change-text.ts";
import {
  gapOf,
  indentLines,
  insertContent,
  isItemList,
  isSameList,
  isSentence,
  joinsList,
  writeItems,
} from "./insert-content.ts";
import { itemText } from "./list-items.ts";
import { countOn, numberOf, renumber } from "./numbering.ts";
import { type MarkdownPlace, insideOf, lastPlace, placesAt } from "./place.ts";
import { behindMarks, removeSpan, wholeLines } from "./remove-span.ts";
import { endsBlock, isLines, startsBlock } from "./tears-block.ts";
import { bulletIn, tidyContent } from "./tidy-content.ts";

/**
 * Replaces words in a part of a text with content. Items stay items of their list, whole blocks become whole blocks
 * that are set apart, and words in a line stay in that line's block. Undefined if a block would end up inside another
 * block's line.
 */
export function replaceSpan(
  text: string,
  part: RegionSpan,
  span: RegionSpan,
  content: string,
): string | undefined {
  const places = placesAt(text, part, span.start);
  const place = places.at(-1);
  const block = place?.blocks[place.index];
  if (place === undefined || block === undefined) return undefined;
  const last = place.blocks.findLast(({ start }) => start < span.end);
  const isWhole = startsBlock(text, span, block) && last !== undefined && endsBlock(text, span, last);
  if (block.kind === "code" && !isWhole)
    return fence.test(content)
      ? undefined
      : change(text, span, indentLines(content, place.indent, lineEndOf(text)).slice(place.indent.length));
  const tidy = tidyContent(content, bulletIn([block, ...(places[0]?.blocks ?? []), ...readBlocks(text)]));
  const parts = readBlocks(tidy);
  const item = places.findLast(({ blocks, index }) => blocks[index]?.kind === "item");
  if (item !== undefined && startsItem(text, item, span) && (isItemList(parts) || isSentence(parts)))
    return replaceItems(text, item, span, parts);
  if (isWhole) return replaceBlocks(text, part, places, span, tidy);
  return replaceWords(text, part, places, span, tidy);
}

const fence = /^[ \t]*(?:`{3}|~{3})/m;

const change = (text: string, span: RegionSpan, put: string): string =>
  changeText(text, [{ ...span, text: put }]);

/** Whether a span begins with an item, with or without its marker, and ends with a line. */
function startsItem(text: string, { blocks, index }: MarkdownPlace, span: RegionSpan): boolean {
  const top = blocks[index]?.lines[0];
  const head = top === undefined ? undefined : text.slice(top.start, span.start);
  const isItem = head?.trim() === "" || head === `${top?.indent}${blocks[index]?.prefix}`;
  return isItem && /^[ \t]*(?:\r?\n|$)/.test(text.slice(span.end));
}

function replaceItems(
  text: string,
  { blocks, index }: MarkdownPlace,
  span: RegionSpan,
  parts: readonly MarkdownBlock[],
): string | undefined {
  const item = blocks[index];
  const last = blocks.findLast(({ start }) => start < span.end);
  if (item === undefined || last === undefined) return undefined;
  const hasMore = !endsBlock(text, span, last);
  if (hasMore && parts.some(({ lines }) => lines.length > 1)) return undefined;
  const lineEnd = lineEndOf(text);
  const first = numberOf(item) ?? 0;
  const gap = gapOf(text, blocks, index, parts);
  const written = writeItems(parts, item, gap, (at) => first + at, lineEnd);
  const next = blocks[blocks.indexOf(last) + 1];
  const behind = next?.start === last.end && !hasMore ? gap.slice(lineEnd.length) : "";
  const followers = countOn(blocks, blocks.indexOf(last) + 1, numberOf(last));
  return changeText(text, [
    { start: item.start, end: span.end, text: written + behind },
    ...renumber(followers, first + parts.length),
  ]);
}

/** Replaces whole blocks with whole blocks: if the kinds match, the blank lines around them stay; otherwise one is added. */
function replaceBlocks(
  text: string,
  part: RegionSpan,
  places: readonly MarkdownPlace[],
  span: RegionSpan,
  content: string,
): string | undefined {
  const place = places.at(-1) ?? lastPlace(text, part);
  const gone = place.blocks.filter(({ start, end }) => end > span.start && start < span.end);
  const parts = readBlocks(content);
  const isAlike = gone[0]?.kind === parts[0]?.kind && gone.at(-1)?.kind === parts.at(-1)?.kind;
  if (!isAlike && places.length > 1) return undefined;
  if (isAlike) {
    const put = indentLines(content, place.indent, lineEndOf(text)).slice(place.indent.length);
    return change(text, span, put);
  }
  const lines = wholeLines(text, part, span);
  const without = removeSpan(text, part, span);
  if (without === undefined) return undefined;
  const rest = { start: part.start, end: part.end - (text.length - without.length) };
  const left = lastPlace(without, rest);
  const index = left.blocks.findLastIndex(({ start }) => start < lines.start);
  const previous = left.blocks[index];
  // a new section inside another would swallow the rest of it
  if (previous !== undefined && gone[0]?.kind !== "heading" && parts.some((block) => headingLevel(block) > 0))
    return addContent(without, rest, content, previous.start).text;
  const next = left.blocks[index + 1];
  const isBetween = previous !== undefined && next !== undefined && isSameList(previous, next);
  if (isBetween && !joinsList(parts, previous)) return undefined;
  return changeText(without, insertContent(without, { ...left, index }, content));
}

/** Whether content can replace words of a table: no pipe in a cell, and the same number of pipes in a row. */
function isRow(content: string, words: string, isLine: boolean): boolean {
  const pipes = (line: string) => line.replaceAll("\\|", "").split("|").length;
  return content.includes("\n") ? false : pipes(content) === (isLine ? pipes(words) : 1);
}

/** Replaces words with words in their line; further lines stay in the same item. */
function replaceWords(
  text: string,
  part: RegionSpan,
  places: readonly MarkdownPlace[],
  span: RegionSpan,
  content: string,
): string | undefined {
  const place = places.at(-1);
  const block = place?.blocks[place.index];
  const [only, ...more] = readBlocks(content);
  if (place === undefined || block === undefined || only === undefined || more.length > 0) return undefined;
  const lines = wholeLines(text, part, span);
  if (block.kind === "table" && !isRow(content, text.slice(span.start, span.end), isLines(text, span)))
    return undefined;
  const isStart = text.slice(lines.start, span.start).trim() === "";
  if (isStart && only.kind === block.kind && only.kind !== "item") return change(text, span, content);
  const words = only.kind === "item" ? itemText(only) : content;
  const isProse = readBlocks(words).every(({ kind }) => kind === "paragraph") && !words.includes("\n\n");
  const isOneLine = !words.includes("\n");
  if (!isProse || !(isOneLine || block.kind === "paragraph" || block.kind === "item")) return undefined;
  const indent = block.kind === "item" ? insideOf(text, block).indent : place.indent;
  const put = isOneLine ? words : indentLines(words, indent, lineEndOf(text)).slice(indent.length);
  return change(text, behindMarks(text, lines, span), put);
}
