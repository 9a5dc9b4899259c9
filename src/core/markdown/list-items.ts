import { type MarkdownBlock, readBlocks } from "./blocks.ts";

/** A piece of a Markdown text; together, all pieces are the text, byte for byte. */
export type MarkdownPiece = ListItem | OtherText;

export interface ListItem {
  readonly kind: "item";
  readonly start: number;
  readonly end: number;
  /** Everything before its first word: indentation, marker and spaces. */
  readonly prefix: string;
  /** Its text with LF and without its marker and indentation; all other characters are unchanged. */
  readonly text: string;
}

export interface OtherText {
  readonly kind: "other";
  readonly start: number;
  readonly end: number;
}

/** Splits a text into its top-level list items, each with everything that belongs to it, and the text between them. */
export function splitItems(text: string): readonly MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  let at = 0;
  for (const block of readBlocks(text)) {
    if (block.kind !== "item") continue;
    const { start, end, prefix } = block;
    if (start > at) pieces.push({ kind: "other", start: at, end: start });
    pieces.push({ kind: "item", start, end, prefix, text: itemText(block) });
    at = end;
  }
  if (at < text.length) pieces.push({ kind: "other", start: at, end: text.length });
  return pieces;
}

/** An item's text with LF and without its marker and indentation. */
export function itemText({ lines: [first, ...rest], prefix }: MarkdownBlock): string {
  const indent = new RegExp(`^[ \\t]{0,${prefix.length}}`);
  const below = rest.map(({ text }) => (text.trim() === "" ? "" : text.replace(indent, "")));
  return [first?.text.slice(prefix.length) ?? "", ...below].join("\n").trimEnd();
}

/** The lines of an item with this prefix, as `splitItems` reads them back. */
export function writeItem(text: string, prefix: string, lineEnd: string): string {
  const indent = " ".repeat(prefix.length);
  const [first = "", ...rest] = text.split("\n");
  return [prefix + first, ...rest.map((line) => (line === "" ? "" : indent + line))].join(lineEnd);
}
