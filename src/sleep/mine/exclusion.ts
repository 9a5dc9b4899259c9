import type { RawConversation } from "../../core/ports/conversation.ts";

/**
 * The first pattern that keeps a conversation out. A pattern with `*` is a glob over the paths of the files it wrote, its folder
 * and its branch (`**` also crosses `/`; without a `/` it is matched with the last name of a path). Any other is a text that
 * occurs in one of these or in a prompt, in whichever case.
 */
export function excludedBy(conversation: RawConversation, patterns: readonly string[]): string | undefined {
  const { files, project, branch, turns } = conversation;
  const paths = [...files, project, ...(branch === undefined ? [] : [branch])];
  const texts = [...paths, ...turns.map(({ prompt }) => prompt)].map((text) => text.toLowerCase());
  return patterns.find((pattern) => {
    if (pattern.trim() === "") return false;
    if (!pattern.includes("*")) return texts.some((text) => text.includes(pattern.toLowerCase()));
    const glob = globOf(pattern);
    return paths.some((path) => glob.test(path) || (!pattern.includes("/") && glob.test(lastName(path))));
  });
}

const lastName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path;

function globOf(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/?|\*|[^*]+/g, (piece) => {
    if (piece === "**/") return "(?:.*/)?";
    if (piece === "**") return ".*";
    return piece === "*" ? "[^/]*" : piece.replace(/[\\^$.|?+()[\]{}]/g, "\\$&");
  });
  return new RegExp(`^${source}$`);
}
