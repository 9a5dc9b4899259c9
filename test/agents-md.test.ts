import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "AGENTS.md"), "utf8");

/** Paths of the annotated tree: indentation gives the folder, the first words of a line are names. */
function treePaths(): string[] {
  const tree = /```\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
  const folders: string[] = [];
  return tree
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      const names =
        line
          .trim()
          .split(/\s{2,}/)[0]
          ?.split(" ") ?? [];
      folders.length = depth;
      const paths = names.map((name) => join(...folders, name));
      if (names[0]?.endsWith("/") === true) folders[depth] = names[0];
      return paths;
    });
}

test("AGENTS.md is short", () => {
  expect(text.split("\n").length).toBeLessThanOrEqual(100);
});

test("every path that AGENTS.md names exists", () => {
  const mentioned = [...text.matchAll(/`([\w./-]+\/[\w./-]*|[\w-]+\.(?:md|ts))`/g)].map(
    (match) => match[1] ?? "",
  );
  const paths = [...treePaths(), ...mentioned];
  expect(paths.length).toBeGreaterThan(25);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
