import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** A line that a page tells people to type. */
export interface DocumentedCommand {
  readonly page: string;
  readonly line: number;
  /** Without `npx`, comments and line breaks. */
  readonly text: string;
  /** The reason above its block: `<!-- not run: needs a key -->`. */
  readonly mark?: string;
}

export const documentedPages = (): readonly string[] => [
  "README.md",
  ...globSync("docs/**/*.md", { cwd: root })
    .filter((path) => !/docs\/(?:api|\.vitepress)\//.test(path))
    .toSorted(),
];

/** Every line of every shell block of README and docs. */
export const readCommands = (): readonly DocumentedCommand[] =>
  documentedPages().flatMap((page) => commandsOf(page, readFileSync(join(root, page), "utf8")));

export function commandsOf(page: string, text: string): readonly DocumentedCommand[] {
  return [
    ...text.matchAll(/^(?:<!-- not run: (.+?) -->\n)?```(?:sh|bash|shell|console)\n([\s\S]*?)^```$/gm),
  ].flatMap(({ index, 0: whole, 1: mark, 2: block = "" }) => {
    const first = text.slice(0, index + whole.indexOf("```")).split("\n").length + 1;
    const lines = block.replaceAll(/\\\n/g, (broken) => broken.replace("\\\n", "\u0000")).split("\n");
    let at = first;
    return lines.flatMap((line) => {
      const own = at;
      at += 1 + line.split("\u0000").length - 1;
      return line
        .replaceAll("\u0000", " ")
        .replace(/(?:^|\s)#\s.*$/, "")
        .split("&&")
        .map((part) => part.trim().replace(/^npx /, "").replaceAll(/\s+/g, " "))
        .filter((part) => part !== "")
        .map((part) => ({ page, line: own, text: part, mark }));
    });
  });
}

/** Commands of ours that stand in the middle of a sentence, `whetstone runs show`. */
export const inlineCommands = (): readonly DocumentedCommand[] =>
  documentedPages().flatMap((page) =>
    readFileSync(join(root, page), "utf8")
      .replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ""))
      .split("\n")
      .flatMap((text, at) =>
        [...text.matchAll(/`(?:npx )?(whetstone [a-z][^`]*)`/g)].map(([, words = ""]) => ({
          page,
          line: at + 1,
          text: words,
        })),
      ),
  );
