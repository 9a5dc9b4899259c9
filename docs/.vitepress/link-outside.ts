import { posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { readAddress } from "../../release/read-address.ts";

/** Empty until the repository exists. */
export const repositoryAddress = readAddress();

/** Pages that stand for a file outside of docs/. */
const pages: Readonly<Record<string, string>> = { "../proofs/RESULTS.md": "/results" };

/**
 * Links that lead out of docs/ work where the files are read. The site has a page for some; others lead to the repository, and
 * are plain words where it is not known.
 */
export function linkOutside(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("link-outside", ({ tokens, env }) => {
    const folder = posix.dirname((env as { readonly relativePath?: string }).relativePath ?? "");
    for (const { children } of tokens) {
      let isOpen = false;
      for (const token of children ?? []) {
        if (token.type === "link_close" && isOpen) {
          token.tag = "span";
          isOpen = false;
        }
        const href = token.type === "link_open" ? (token.attrGet("href") ?? "") : "";
        const path = posix.normalize(posix.join(folder, href.split("#")[0] ?? ""));
        if (!href.startsWith("..") || !path.startsWith("..")) continue;
        const known = pages[path];
        if (known !== undefined) token.attrSet("href", known);
        else if (repositoryAddress) token.attrSet("href", `${repositoryAddress}/tree/HEAD/${path.slice(3)}`);
        else {
          token.tag = "span";
          token.attrs = null;
          isOpen = true;
        }
      }
    }
  });
}
