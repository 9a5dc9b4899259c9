import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** The texts of examples, fixtures and installed packages that look like a skill: not too short, not too long. */
export function markdownFiles(): readonly { readonly path: string; readonly text: string }[] {
  const paths = globSync(["examples/**/*.md", "test/fixtures/**/*.md", "*.md", "node_modules/**/*.md"], {
    cwd: root,
  });
  return paths
    .filter((path) => !/change-?log|licen[cs]e|notices/i.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => text.length >= 200 && text.length <= 6000 && !text.includes("\uFFFD"));
}
