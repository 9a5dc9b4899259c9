import type { RegionSpan } from "../skill/regions.ts";
import { allBlocks, readBlocks } from "./blocks.ts";
import { endOf } from "./place.ts";

/** Whether removing a span would leave the rest of a block without its head, fence or end. */
export function tearsBlock(text: string, part: RegionSpan, span: RegionSpan): boolean {
  return allBlocks(readBlocks(text, part)).some((block) => {
    const [first, second] = block.lines;
    const end = endOf(text, block);
    const isWhole = startsBlock(text, span, block) && endsBlock(text, span, block);
    if (span.start >= end || span.end <= block.start || isWhole || first === undefined) return false;
    if (span.start < block.start) return true;
    if (block.kind === "code" || block.kind === "comment")
      return /`{3}|~{3}|<!--|-->/.test(text.slice(span.start, Math.min(span.end, end)));
    if (block.kind === "table") {
      const isHead = startsBlock(text, span, block) && endsBlock(text, span, first);
      const isRule = second !== undefined && span.start < second.end && span.end > second.start;
      return isHead || isRule || (!isLines(text, span) && text.slice(span.start, span.end).includes("|"));
    }
    return false;
  });
}

/** Whether nothing of a block or a line precedes a span. */
export const startsBlock = (text: string, span: RegionSpan, { start }: RegionSpan): boolean =>
  text.slice(start, span.start).trim() === "";

/** Whether nothing of a block or a line follows a span. */
export const endsBlock = (text: string, span: RegionSpan, { end }: RegionSpan): boolean =>
  text.slice(span.end, end).trim() === "";

/** Whether a span consists of whole lines. */
export const isLines = (text: string, { start, end }: RegionSpan): boolean =>
  /(?:^|\n)[ \t]*$/.test(text.slice(0, start)) && /^[ \t]*(?:\r?\n|$)/.test(text.slice(end));
