import { type RegionSpan, lineEndOf } from "../skill/regions.ts";
import { type MarkdownBlock, headingLevel, readBlocks } from "./blocks.ts";
import { type TextChange, changeText } from "./change-text.ts";
import { insertContent, joinsList, indentLines } from "./insert-content.ts";
import { type MarkdownPlace, insideOf, lastPlace, placesAt, endOf } from "./place.ts";
import { blockWords, findMissing } from "./said.ts";
import { bulletIn, splitSections, tidyContent } from "./tidy-content.ts";

/**
 * Adds content to a part of a text: after the block that contains the anchor, or at the end. It doesn't repeat what's
 * already there, and a new section with an existing name adds its content to that section. Also returns where the first
 * piece went, as an offset into the earlier text.
 */
export function addContent(
  text: string,
  part: RegionSpan,
  content: string,
  anchor?: number,
): { readonly text: string; readonly at?: number } {
  const places = anchor === undefined ? [lastPlace(text, part)] : placesAt(text, part, anchor);
  const line = insertLine(text, places, content.replaceAll("\r\n", "\n"), anchor);
  if (line !== undefined) return { text: changeText(text, line), at: line[0]?.start };
  const sections = splitSections(
    tidyContent(content, bulletIn([...(places[0]?.blocks ?? []), ...readBlocks(text)])),
  );
  let changed = text;
  let at: number | undefined;
  let [end, offset] = [part.end, anchor];
  // after one anchor, pieces are inserted in reverse order
  for (const section of anchor === undefined ? sections : sections.toReversed()) {
    const changes = addSection(changed, { start: part.start, end }, section, offset);
    changed = changeText(changed, changes);
    at ??= changes[0]?.start;
    const grown = (until: number) =>
      changes.reduce(
        (sum, one) => sum + (one.start < until ? one.text.length - (one.end - one.start) : 0),
        0,
      );
    end += grown(Number.POSITIVE_INFINITY);
    if (offset !== undefined) offset += grown(offset);
  }
  return { text: changed, at };
}

function addSection(
  text: string,
  part: RegionSpan,
  section: string,
  anchor: number | undefined,
): readonly TextChange[] {
  const places = anchor === undefined ? [lastPlace(text, part)] : placesAt(text, part, anchor);
  const [top = lastPlace(text, part)] = places;
  const [first, ...rest] = readBlocks(section);
  const level = first === undefined ? 0 : headingLevel(first);
  if (first === undefined || level === 0) {
    const missing = findMissing(section, anchor === undefined ? readBlocks(text) : sectionAround(top));
    return missing === ""
      ? []
      : insertContent(text, placeFor(text, places, readBlocks(missing), anchor), missing);
  }
  const place = { ...top, index: sectionEnd(top.blocks, top.index, level) };
  const known = findSection(top.blocks, parentAt(top.blocks, top.index, level), first, level);
  if (known < 0) return insertContent(text, place, section);
  if (rest.length === 0) return [];
  const body = { ...top, index: sectionEnd(top.blocks, known, 6) };
  const missing = findMissing(section.slice(first.end).trim(), sectionAround(body));
  return missing === "" ? [] : insertContent(text, body, missing);
}

/** Items go next to the anchor's item, other blocks into it; appended content follows everything. */
function placeFor(
  text: string,
  places: readonly MarkdownPlace[],
  parts: readonly MarkdownBlock[],
  anchor: number | undefined,
): MarkdownPlace {
  const place = places.findLast(({ blocks, index }) => blocks[index]?.kind === "item") ?? places[0];
  if (place === undefined) throw new Error("a text has a top level");
  const item = place.blocks[place.index];
  if (anchor === undefined || item?.kind !== "item" || joinsList(parts, item)) return place;
  return insideOf(text, item);
}

/** The index of the last block before the next heading of this level or above. */
function sectionEnd(blocks: readonly MarkdownBlock[], index: number, level: number): number {
  const next = blocks.findIndex((block, at) => at > index && isHeading(block, level));
  return next < 0 ? blocks.length - 1 : next - 1;
}

const isHeading = (block: MarkdownBlock, deepest: number): boolean =>
  headingLevel(block) > 0 && headingLevel(block) <= deepest;

/** The index of the parent heading of a heading of this level at a place, or -1. */
const parentAt = (blocks: readonly MarkdownBlock[], index: number, level: number): number =>
  blocks.findLastIndex((block, at) => at <= index && isHeading(block, level - 1));

function findSection(
  blocks: readonly MarkdownBlock[],
  parent: number,
  heading: MarkdownBlock,
  level: number,
): number {
  return blocks.findIndex(
    (block, at) =>
      headingLevel(block) === level &&
      blockWords(block) === blockWords(heading) &&
      parentAt(blocks, at, level) === parent,
  );
}

/** The blocks from the heading above a place to the next heading. */
function sectionAround({ blocks, index }: MarkdownPlace): readonly MarkdownBlock[] {
  const start = blocks.findLastIndex((block, at) => at <= index && isHeading(block, 6));
  return blocks.slice(Math.max(start, 0), sectionEnd(blocks, index, 6) + 1);
}

/**
 * Inserts lines inside a block of code or a table: after the line with the anchor (in a table, after its head; without
 * an anchor, at its end). Undefined if the content isn't such a line.
 */
function insertLine(
  text: string,
  places: readonly MarkdownPlace[],
  content: string,
  anchor: number | undefined,
): readonly TextChange[] | undefined {
  const place = places.at(-1);
  const block = place?.blocks[place.index];
  if (block === undefined || place === undefined) return undefined;
  const line =
    anchor === undefined ? block.lines.length - 1 : block.lines.findIndex(({ end }) => anchor < end);
  if (block.kind === "code") {
    const isInside = anchor !== undefined && line > 0 && (block.isOpen || line < block.lines.length - 1);
    if (!isInside || /^[ \t]*(?:`{3}|~{3})/m.test(content)) return undefined;
  } else {
    const isRow =
      readBlocks(content).length === 1 &&
      /^(?:[ \t]*\|.*\n?)+$/.test(content) &&
      !/^[ \t]*\|[ \t]*:?-/m.test(content);
    if (block.kind !== "table" || block.lines.length < 2 || !isRow) return undefined;
  }
  const found = block.lines[block.kind === "table" ? Math.max(line, 1) : line];
  if (found === undefined) return undefined;
  const at = endOf(text, found);
  const indent =
    block.kind === "table" ? place.indent : (/^[ \t]*/.exec(text.slice(found.start, at))?.[0] ?? "");
  const lineEnd = lineEndOf(text);
  const put = lineEnd + indentLines(content, indent, lineEnd);
  const isThere =
    block.kind === "table"
      ? text.slice(block.start, block.end).includes(put.trim())
      : text.startsWith(put, at);
  return isThere ? [] : [{ start: at, end: at, text: put + (at === text.length ? lineEnd : "") }];
}
