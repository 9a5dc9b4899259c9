import { type MarkdownBlock, allBlocks, headingLevel, readBlocks } from "./blocks.ts";
import { changeText } from "./change-text.ts";
import { joinsList, missingEnd } from "./insert-content.ts";

/**
 * Content as it may stand in a text, with LF: one blank line between its blocks and none between its items where it has
 * none, nothing left open, and bullets with the mark of the text.
 */
export function tidyContent(content: string, bullet: string | undefined): string {
  const text = remark(content.replaceAll("\r\n", "\n").trim(), bullet);
  const blocks = readBlocks(text);
  return blocks
    .map((block, at) => {
      const before = blocks[at - 1];
      const isTight = before !== undefined && before.end === block.start && joinsList([before], block);
      return (
        (before === undefined ? "" : isTight ? "\n" : "\n\n") +
        text.slice(block.start, block.end).trimEnd() +
        missingEnd(block, "\n")
      );
    })
    .join("");
}

/** The mark of a text's first bullet. */
export const bulletIn = (blocks: readonly MarkdownBlock[]): string | undefined =>
  allBlocks(blocks)
    .map(({ prefix }) => /[-*+]/.exec(prefix)?.[0])
    .find((mark) => mark !== undefined);

/** What stands before the first heading of the highest level, and the section of each. */
export function splitSections(content: string): readonly string[] {
  const blocks = readBlocks(content);
  const levels = blocks.map(headingLevel).filter((level) => level > 0);
  const highest = Math.min(...levels);
  const starts = blocks.filter((block) => headingLevel(block) === highest).map(({ start }) => start);
  return [0, ...starts]
    .map((start, at) => content.slice(start, starts[at]).trim())
    .filter((section) => section !== "");
}

function remark(text: string, bullet: string | undefined): string {
  const changes = allBlocks(readBlocks(text)).flatMap(({ lines: [top], prefix }) => {
    const mark = /[-*+]/.exec(prefix);
    if (bullet === undefined || top === undefined || mark === null) return [];
    const start = top.start + top.indent.length + mark.index;
    return [{ start, end: start + 1, text: bullet }];
  });
  return changeText(text, changes);
}
