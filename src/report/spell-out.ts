import { findHiddenCharacters } from "../core/guard/hidden-characters.ts";

/**
 * A text that is safe to show: invisible characters and terminal controls become `<U+200B>`. Line ends and tabs stay, and
 * so do a BOM at the start of a line (also in a diff) and joiners that a language's spelling needs. They are harmless,
 * and `patch` or a reader needs them.
 */
export const spellOut = (text: string): string =>
  replaceHidden(text, (codePoint) => `<U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}>`);

/** A value as JSON, with invisible characters and terminal controls as `\u200b`, so that it's safe to print. */
export const spellOutJson = (value: unknown): string =>
  replaceHidden(JSON.stringify(value) ?? "null", (codePoint) =>
    String.fromCodePoint(codePoint).replaceAll(
      /[^]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );

function replaceHidden(text: string, spell: (codePoint: number) => string): string {
  let shown = "";
  let from = 0;
  const hidden = new Map(findHiddenCharacters(text).map(({ index, codePoint }) => [index, codePoint]));
  for (const { index } of text.matchAll(harmless)) hidden.delete(index);
  for (const { index } of text.matchAll(/\r(?!\n|$)/g)) hidden.set(index, 0x0d);
  for (const [index, codePoint] of [...hidden].toSorted(([a], [b]) => a - b)) {
    shown += text.slice(from, index) + spell(codePoint);
    from = index + (codePoint > 0xffff ? 2 : 1);
  }
  return shown + text.slice(from);
}

/** Scripts that spell words with a joiner or a non-joiner between two letters. */
const joining = [
  "Arab",
  "Syrc",
  "Mong",
  "Deva",
  "Beng",
  "Guru",
  "Gujr",
  "Orya",
  "Taml",
  "Telu",
  "Knda",
  "Mlym",
  "Sinh",
]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const harmless = new RegExp(
  `(?<=[${joining}])[\\u200C\\u200D](?=[${joining}])|(?<=(?:^|\\n)[-+ ]?)\\uFEFF`,
  "gu",
);
