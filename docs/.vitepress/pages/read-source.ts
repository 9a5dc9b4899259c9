import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

export const root = join(import.meta.dirname, "../../..");

/** A node of the syntax tree, with its place in the text. */
export interface Placed {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A declaration as it stands in its file. */
export interface Declaration {
  readonly name: string;
  readonly node: Placed;
  /** The doc comment above it, without its stars. */
  readonly doc: string;
  readonly text: string;
}

/** What a file declares at its top, with doc comments. */
export function readDeclarations(path: string): readonly Declaration[] {
  const text = readFileSync(join(root, path), "utf8");
  const { program, comments } = parseSync(path, text);
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  return (program.body as unknown as readonly Placed[]).flatMap((outer) => {
    const doc = docs.find(({ end }) => end <= outer.start && text.slice(end, outer.start).trim() === "");
    const node = (outer["declaration"] as Placed | null | undefined) ?? outer;
    const inner = (node["declarations"] as readonly Placed[] | undefined) ?? [node];
    return inner.flatMap((each) => {
      const { name } = (each["id"] as { name?: string } | undefined) ?? {};
      return name === undefined ? [] : [{ name, node, doc: plain(doc?.value ?? ""), text }];
    });
  });
}

/** The lines of a doc comment. */
const plain = (comment: string): string =>
  comment
    .replace(/^\*/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();

/** A doc comment as one line, up to its first tag. */
export const sentence = (doc: string): string =>
  (doc.split(/(?:^|\s)@\w+/)[0] ?? "").replaceAll(/\s*\n\s*/g, " ").trim();

/** A cell of a table. */
export const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");

/** Text of ours where Markdown and Vue would read more into it. */
export const safe = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;"),
    )
    .join("");
