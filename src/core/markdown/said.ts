import type { RegionSpan } from "../skill/regions.ts";
import { type MarkdownBlock, allBlocks, readBlocks } from "./blocks.ts";
import { isItemList, writeItems } from "./insert-content.ts";
import { numberOf } from "./numbering.ts";

/** The words of a block, without markers, quote marks and extra spaces. */
export function blockWords(block: MarkdownBlock): string {
  const known = read.get(block) ?? plainWords(block.lines.map(({ text }) => text).join("\n")).trim();
  read.set(block, known);
  return known;
}

/** A block's words are needed for every edit. */
const read = new WeakMap<MarkdownBlock, string>();

const marks = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?/gm;

/** The part of some content that these blocks don't say: items one by one, anything else whole. Empty if they say it all. */
export function findMissing(content: string, among: readonly MarkdownBlock[]): string {
  const said = new Set(allBlocks(among).map(blockWords));
  const parts = readBlocks(content);
  const missing = parts.filter((part) => !said.has(blockWords(part)));
  if (missing.length === 0) return "";
  if (!isItemList(parts)) return content;
  const [first] = parts;
  const number = numberOf(first) ?? 0;
  return first === undefined ? "" : writeItems(missing, first, "\n", (at) => number + at, "\n");
}

/** Whether the text around a span already makes it the content. */
export function readsAlready(text: string, { start, end }: RegionSpan, content: string): boolean {
  const words = text.slice(start, end);
  if (!content.includes(words)) return false;
  const [before, after] = [plainWords(text.slice(0, start)), plainWords(text.slice(end))];
  for (let at = content.indexOf(words); at >= 0; at = content.indexOf(words, at + 1)) {
    const [left, right] = [content.slice(0, at), content.slice(at + words.length)];
    if (before.endsWith(plainWords(left)) && after.startsWith(plainWords(right))) return true;
  }
  return false;
}

/** A text without markers, with single spaces. */
export const plainWords = (text: string): string => text.replaceAll(marks, "").replaceAll(/\s+/g, " ");
