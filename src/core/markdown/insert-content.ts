import { lineEndOf, withLineEnds } from "../skill/regions.ts";
import { type MarkdownBlock, allBlocks, readBlocks } from "./blocks.ts";
import type { TextChange } from "./change-text.ts";
import { itemText, writeItem } from "./list-items.ts";
import { countOn, numberOf, renumber } from "./numbering.ts";
import { type MarkdownPlace, endOf } from "./place.ts";

/**
 * Puts blocks at a place, as a person would: items join the list before or behind them with its marker, its numbers and
 * its spacing, and everything else stands apart by one blank line. Nothing but later numbers of that list changes.
 */
export function insertContent(text: string, wanted: MarkdownPlace, content: string): readonly TextChange[] {
  const parts = readBlocks(content);
  const place = isItemList(parts.slice(-1)) ? passIndented(wanted, parts) : wanted;
  const { blocks, index } = place;
  const previous = blocks[index];
  const next = blocks[index + 1];
  const lineEnd = lineEndOf(text);
  if (previous !== undefined && joinsList(parts, previous)) {
    const first = (numberOf(previous) ?? 0) + stepAt(blocks, index);
    const { written, gap, later } = joinList(text, place, parts, previous, first);
    const at = endOf(text, previous);
    const isApart = next === undefined || next.start > previous.end;
    const behind = at === text.length ? lineEnd : isApart ? "" : gap.slice(lineEnd.length);
    return [{ start: at, end: at, text: gap + written + behind }, ...later];
  }
  if (next !== undefined && isItemList(parts) && joinsList(parts, next)) {
    const { written, gap, later } = joinList(text, place, parts, next, numberOf(next) ?? 0);
    return [{ start: next.start, end: next.start, text: written + gap }, ...later];
  }
  const at = previous === undefined ? place.at : endOf(text, previous);
  const end = previous === undefined ? "" : missingEnd(previous, lineEnd);
  const head = end === "" ? text.slice(0, at) : end;
  const before = place.indent !== "" && isItemList(parts) ? lineEnd : gapBehind(head, lineEnd);
  const fitting = indentLines(alignEnd(content, parts, next), place.indent, lineEnd);
  const put = end + before + fitting + gapBefore(text.slice(at), lineEnd);
  return [{ start: at, end: at, text: put }];
}

/** Content whose last items are as far in as the bullets behind them, which they will be one list with. */
function alignEnd(content: string, parts: readonly MarkdownBlock[], next: MarkdownBlock | undefined): string {
  const indent = /^ +(?=[-*+])/.exec(next?.prefix ?? "")?.[0];
  const first = parts[parts.findLastIndex(({ kind }) => kind !== "item") + 1];
  return indent === undefined || first === undefined
    ? content
    : content.slice(0, first.start) + indentLines(content.slice(first.start), indent, "\n");
}

/** Behind what is indented, which would become a part of an item before it. */
function passIndented(place: MarkdownPlace, parts: readonly MarkdownBlock[]): MarkdownPlace {
  const { blocks, index } = place;
  const [previous, next] = [blocks[index], blocks[index + 1]];
  const joins = [previous, next].some((block) => block !== undefined && joinsList(parts, block));
  return !joins && /^(?: {2}|\t)/.test(next?.lines[0]?.text ?? "")
    ? passIndented({ ...place, index: index + 1 }, parts)
    : place;
}

/** What is missing at the end of a block that nothing closes. */
export function missingEnd({ isOpen, lines }: MarkdownBlock, lineEnd: string): string {
  if (!isOpen) return "";
  const fence = /^[ \t]*(`{3,}|~{3,})/.exec(lines[0]?.text ?? "")?.[1];
  return fence === undefined ? " -->" : lineEnd + (lines[0]?.indent ?? "") + fence;
}

/** Whether there are items only. */
export const isItemList = (parts: readonly MarkdownBlock[]): boolean =>
  parts.length > 0 && parts.every(({ kind }) => kind === "item");

/** Whether blocks can be items of the list that an item is of. A sentence among bullets is one of them. */
export function joinsList(parts: readonly MarkdownBlock[], item: MarkdownBlock): boolean {
  if (item.kind !== "item") return false;
  const isOrdered = numberOf(item) !== undefined;
  return isSentence(parts)
    ? !isOrdered
    : isItemList(parts) && parts.every((part) => (numberOf(part) !== undefined) === isOrdered);
}

/** Whether two blocks are items of one list, if nothing stands between them. */
export const isSameList = (a: MarkdownBlock, b: MarkdownBlock): boolean =>
  a.kind === "item" && joinsList([a], b);

/** Whether there is one paragraph that introduces nothing and is no HTML. */
export const isSentence = ([only, ...more]: readonly MarkdownBlock[]): boolean =>
  only?.kind === "paragraph" &&
  more.length === 0 &&
  !/^[ \t]*<|:$|^ {4}|^\t/.test(
    only.lines
      .map((line) => line.text)
      .join("\n")
      .trimEnd(),
  );

/** Blocks as items of a list: the texts of its items, with its marker. */
export function writeItems(
  parts: readonly MarkdownBlock[],
  like: MarkdownBlock,
  gap: string,
  number: (at: number) => number,
  lineEnd: string,
): string {
  const prefix = (like.lines[0]?.indent ?? "") + like.prefix;
  return parts
    .map((part, at) =>
      writeItem(
        itemText(part),
        prefix.replace(/\d+/, () => String(number(at))),
        lineEnd,
      ),
    )
    .join(gap);
}

/** What stands between items: a line end, or a blank line in a list that has them and around code and tables. */
export function gapOf(
  text: string,
  blocks: readonly MarkdownBlock[],
  index: number,
  parts: readonly MarkdownBlock[],
): string {
  const lineEnd = lineEndOf(text);
  const own = blocks[index];
  const pairs = [
    [blocks[index - 1], own],
    [own, blocks[index + 1]],
  ] as const;
  const [first, second] =
    pairs.find(([a, b]) => a !== undefined && b !== undefined && isSameList(a, b)) ?? [];
  const isLoose = first !== undefined && second !== undefined && first.end < second.start;
  const standsApart = allBlocks([...(own === undefined ? [] : [own]), ...parts]).some(
    ({ kind }) => kind === "code" || kind === "table",
  );
  return isLoose || standsApart ? lineEnd + lineEnd : lineEnd;
}

function joinList(
  text: string,
  { blocks, index }: MarkdownPlace,
  parts: readonly MarkdownBlock[],
  like: MarkdownBlock,
  first: number,
): { readonly written: string; readonly gap: string; readonly later: readonly TextChange[] } {
  const at = blocks.indexOf(like);
  const step = stepAt(blocks, at);
  const gap = gapOf(text, blocks, at, parts);
  const written = writeItems(parts, like, gap, (item) => first + item * step, lineEndOf(text));
  const before = numberOf(like);
  const followers =
    step === 0 || before === undefined ? [] : countOn(blocks, index + 1, at > index ? before - 1 : before);
  return { written, gap, later: renumber(followers, first + parts.length) };
}

/** 0 in a list whose items all have the same number. */
function stepAt(blocks: readonly MarkdownBlock[], index: number): 0 | 1 {
  const number = numberOf(blocks[index]);
  return [blocks[index - 1], blocks[index + 1]].some(
    (block) => number !== undefined && numberOf(block) === number,
  )
    ? 0
    : 1;
}

export const indentLines = (content: string, indent: string, lineEnd: "\r\n" | "\n"): string =>
  withLineEnds(indent === "" ? content : content.replaceAll(/^(?=.*\S)/gm, indent), lineEnd);

function gapBehind(head: string, lineEnd: string): string {
  if (head.trim() === "" || /\n[ \t]*\r?\n$/.test(head)) return "";
  return head.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
}

function gapBefore(rest: string, lineEnd: string): string {
  if (rest.trim() === "") return rest.includes("\n") ? "" : lineEnd;
  if (/^[ \t]*\r?\n[ \t]*\r?\n/.test(rest)) return "";
  return /^[ \t]*\r?\n/.test(rest) ? lineEnd : lineEnd + lineEnd;
}
