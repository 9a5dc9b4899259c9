import { findHiddenCharacters } from "../core/guard/hidden-characters.ts";

/**
 * A line as it can be shown: what nobody would see, or what steers a terminal, becomes `<U+200B>`. A leading BOM and the
 * carriage return of a line end stay: they are harmless, and `patch` needs them.
 */
export function spellOut(line: string): string {
  let shown = "";
  let from = 0;
  const hidden = new Map(findHiddenCharacters(line).map(({ index, codePoint }) => [index, codePoint]));
  for (const { index } of line.matchAll(/\r(?!$)/g)) hidden.set(index, 0x0d);
  for (const [index, codePoint] of [...hidden].toSorted(([a], [b]) => a - b)) {
    shown += `${line.slice(from, index)}<U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}>`;
    from = index + (codePoint > 0xffff ? 2 : 1);
  }
  return shown + line.slice(from);
}
