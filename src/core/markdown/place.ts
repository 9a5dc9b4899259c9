import { type MarkdownBlock, readBlocks, readInside } from "./blocks.ts";
import type { RegionSpan } from "../skill/regions.ts";

/** The place after one block of a level: of a text, or of the inside of an item. */
export interface MarkdownPlace {
  readonly blocks: readonly MarkdownBlock[];
  /** -1: before the first. */
  readonly index: number;
  /** The offset where the level begins. */
  readonly at: number;
  /** The indentation of every line of the level. */
  readonly indent: string;
}

/** The place after the last block of a part of a text. */
export function lastPlace(text: string, part: RegionSpan): MarkdownPlace {
  const blocks = readBlocks(text, part);
  return { blocks, index: blocks.length - 1, at: part.start, indent: "" };
}

/** The places after the block that contains an offset: the top level's first, then those inside items. */
export function placesAt(text: string, part: RegionSpan, offset: number): readonly MarkdownPlace[] {
  const top = lastPlace(text, part);
  const index = top.blocks.findLastIndex(({ start }) => start <= offset);
  return [{ ...top, index }, ...placesInside(text, top.blocks[index], offset)];
}

function placesInside(
  text: string,
  item: MarkdownBlock | undefined,
  offset: number,
): readonly MarkdownPlace[] {
  if (item?.kind !== "item") return [];
  const level = insideOf(text, item);
  const index = level.blocks.findIndex(({ start, end }) => start <= offset && offset < end);
  return index < 0 ? [] : [{ ...level, index }, ...placesInside(text, level.blocks[index], offset)];
}

/** The place at the end of an item. */
export function insideOf(text: string, item: MarkdownBlock): MarkdownPlace {
  const blocks = readInside(item);
  const [first] = item.lines;
  const at = first === undefined ? item.start : first.start + lineText(text, first).length;
  return {
    blocks,
    index: blocks.length - 1,
    at,
    indent: (first?.indent ?? "") + " ".repeat(item.prefix.length),
  };
}

/** The end of a block's words, before its last line end. */
export const endOf = (text: string, { start, end }: RegionSpan): number =>
  start + lineText(text, { start, end }).length;

const lineText = (text: string, { start, end }: RegionSpan): string =>
  text.slice(start, end).replace(/\r?\n$/, "");
