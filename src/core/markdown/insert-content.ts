import { lineEndOf, withLineEnds } from "../skill/regions.ts";
import { type MarkdownBlock, allBlocks, readBlocks } from "./blocks.ts";
import type { TextChange } from "./change-text.ts";
import { itemText, writeItem } from "./list-items.ts";
import { countOn, numberOf, renumber } from "./numbering.ts";
import { type MarkdownPlace, endOf } from "./place.ts";

/**
 * Inserts blocks at a place, as a person would. Items join the list before or after them with its marker, numbers and
 * spacing; everything else is separated by one blank line. Apart from later numbers of that list, nothing changes.
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

/** Indents the last items of the content like the following bullets, so that they form one list. */
function alignEnd(content: string, parts: readonly MarkdownBlock[], next: MarkdownBlock | undefined): string {
  const indent = /^ +(?=[-*+])/.exec(next?.prefix ?? "")?.[0];
  const first = parts[parts.findLastIndex(({ kind }) => kind !== "item") + 1];
  return indent === undefined || first === undefined
    ? content
    : content.slice(0, first.start) + indentLines(content.slice(first.start), indent, "\n");
}

/** Moves past indented content, which would become a part of an item before it. */
function passIndented(place: MarkdownPlace, parts: readonly MarkdownBlock[]): MarkdownPlace {
  const { blocks, index } = place;
  const [previous, next] = [blocks[index], blocks[index + 1]];
  const joins = [previous, next].some((block) => block !== undefined && joinsList(parts, block));
  return !joins && /^(?: {2}|\t)/.test(next?.lines[0]?.text ?? "")
    ? passIndented({ ...place, index: index + 1 }, parts)
    : place;
}

/** The missing end of an unclosed block. */
export function missingEnd({ isOpen, lines }: MarkdownBlock, lineEnd: string): string {
  if (!isOpen) return "";
  const fence = /^[ \t]*(`{3,}|~{3,})/.exec(lines[0]?.text ?? "")?.[1];
  return fence === undefined ? " -->" : lineEnd + (lines[0]?.indent ?? "") + fence;
}

/** Whether there are only items. */
export const isItemList = (parts: readonly MarkdownBlock[]): boolean =>
  parts.length > 0 && parts.every(({ kind }) => kind === "item");

/** Whether blocks can become items of an item's list. A sentence among bullets counts as one. */
export function joinsList(parts: readonly MarkdownBlock[], item: MarkdownBlock): boolean {
  if (item.kind !== "item") return false;
  const isOrdered = numberOf(item) !== undefined;
  return isSentence(parts)
    ? !isOrdered
    : isItemList(parts) && parts.every((part) => (numberOf(part) !== undefined) === isOrdered);
}

/** Whether two blocks are items of one list, if nothing separates them. */
export const isSameList = (a: MarkdownBlock, b: MarkdownBlock): boolean =>
  a.kind === "item" && joinsList([a], b);

/** Whether there is a single paragraph that introduces nothing and isn't HTML. */
export const isSentence = ([only, ...more]: readonly MarkdownBlock[]): boolean =>
  only?.kind === "paragraph" &&
  more.length === 0 &&
  !/^[ \t]*<|:$|^ {4}|^\t/.test(
    only.lines
      .map((line) => line.text)
      .join("\n")
      .trimEnd(),
  );

/** Writes blocks as items of a list, with its marker. */
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

/** The gap between items: a line end, or a blank line in a list that has them and around code and tables. */
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
