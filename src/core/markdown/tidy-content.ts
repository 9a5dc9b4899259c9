import { type MarkdownBlock, allBlocks, headingLevel, readBlocks } from "./blocks.ts";
import { changeText } from "./change-text.ts";
import { isSameList, missingEnd } from "./insert-content.ts";

/**
 * Tidies content for insertion into a text, with LF. Leaves one blank line between blocks, none between items that had
 * none, and nothing open. Bullets get the text's marker.
 */
export function tidyContent(content: string, bullet: string | undefined): string {
  const text = remark(content.replaceAll("\r\n", "\n").trim(), bullet);
  const blocks = readBlocks(text);
  return blocks
    .map((block, at) => {
      const before = blocks[at - 1];
      const isTight = before !== undefined && before.end === block.start && isSameList(before, block);
      return (
        (before === undefined ? "" : isTight ? "\n" : "\n\n") +
        text.slice(block.start, block.end).trimEnd() +
        missingEnd(block, "\n")
      );
    })
    .join("");
}

/** The marker of a text's first bullet. */
export const bulletIn = (blocks: readonly MarkdownBlock[]): string | undefined =>
  allBlocks(blocks)
    .map(({ prefix }) => /[-*+]/.exec(prefix)?.[0])
    .find((mark) => mark !== undefined);

/** The content before the first heading of the highest level, and each section under such a heading. */
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
