import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { parseYamlText } from "./parse-source.ts";
import { tasksInvalid } from "./shape.ts";

/** A Markdown file that may begin with YAML between two lines of `---`. */
export interface FrontmatterFile {
  /** Undefined where there is none. */
  readonly fields: JsonObject | undefined;
  readonly body: string;
}

export function readFrontmatterFile(text: string, path: string): FrontmatterFile {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const found = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(plain);
  if (found === null) {
    if (/^---[ \t]*\n/.test(plain))
      throw tasksInvalid(`${path}: the frontmatter has no end.`, 'Close it with a line of "---".');
    return { fields: undefined, body: plain.trim() };
  }
  const fields = parseYamlText(found[1] ?? "", path) ?? {};
  if (!isJsonObject(fields))
    throw tasksInvalid(`${path}: the frontmatter is no list of keys.`, "Write `key: value` lines.");
  return { fields, body: plain.slice(found[0].length).trim() };
}
