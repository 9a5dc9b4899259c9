import { lineEndOf } from "../skill/regions.ts";
import { readBlocks } from "./blocks.ts";
import type { TextChange } from "./change-text.ts";
import { indentLines } from "./insert-content.ts";
import { type MarkdownPlace, endOf } from "./place.ts";

/**
 * Lines for the inside of a block of code or a table: they go behind the line that holds the anchor (in a table, behind
 * its head; without an anchor, at its end). Undefined where the content is no such line.
 */
export function insertLine(
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
