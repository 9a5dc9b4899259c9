import type { MarkdownBlock } from "./blocks.ts";
import type { TextChange } from "./change-text.ts";

/** The number of an ordered list's item. */
export function numberOf(block: MarkdownBlock | undefined): number | undefined {
  const digits = /\d+/.exec(block?.prefix ?? "")?.[0];
  return digits === undefined ? undefined : Number(digits);
}

/** The items from `index` on that continue the number before them. */
export function countOn(
  blocks: readonly MarkdownBlock[],
  index: number,
  before: number | undefined,
): readonly MarkdownBlock[] {
  if (before === undefined) return [];
  const rest = blocks.slice(index);
  const end = rest.findIndex((block, at) => numberOf(block) !== before + 1 + at);
  return end < 0 ? rest : rest.slice(0, end);
}

/** Renumbers items from `first` on. If a number gets longer, the item's content is indented to match. */
export function renumber(items: readonly MarkdownBlock[], first: number): readonly TextChange[] {
  return items.flatMap(({ lines: [top, ...rest], prefix }, at) => {
    const digits = /\d+/.exec(prefix);
    if (top === undefined || digits === null || Number(digits[0]) === first + at) return [];
    const start = top.start + top.indent.length + digits.index;
    const number = String(first + at);
    const more = " ".repeat(Math.max(0, number.length - digits[0].length));
    return [
      { start, end: start + digits[0].length, text: number },
      ...rest.flatMap((line) =>
        more === "" || line.text.trim() === "" ? [] : [{ start: line.start, end: line.start, text: more }],
      ),
    ];
  });
}
