import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "AGENTS.md"), "utf8");

interface TreeLine {
  /** Indentation gives the folder, the first words of a line are names. */
  readonly paths: readonly string[];
  /** Folders that its text names, such as `readers/`: each must be in one of its paths. */
  readonly inner: readonly string[];
}

function readTree(): readonly TreeLine[] {
  const tree = /```\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
  const folders: string[] = [];
  return tree
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      const [first = "", ...rest] = line.trim().split(/\s{2,}/);
      const names = first.split(" ");
      folders.length = depth;
      const paths = names.map((name) => join(...folders, name));
      if (names[0]?.endsWith("/") === true) folders[depth] = names[0];
      const inner = rest.join(" ").matchAll(/(?<![\w./`-])([\w-]+\/)(?=[\s:,;)]|$)/g);
      return { paths, inner: [...inner].map(([, name = ""]) => name) };
    });
}

const lines = readTree();
const treePaths = lines.flatMap(({ paths }) => paths);

test("every folder that a line of the tree names in its text is there", () => {
  const missing = lines.flatMap(({ paths, inner }) =>
    inner
      .filter((name) => paths.every((path) => !existsSync(join(root, path, name))))
      .map((name) => [paths, name]),
  );
  expect(missing).toEqual([]);
});

test("every folder of src with more than three files stands in the tree", () => {
  const named = lines
    .flatMap(({ paths, inner }) => [
      ...paths,
      ...paths.flatMap((path) => inner.map((name) => join(path, name))),
    ])
    .map((path) => join(path, "/"));
  const folders = Object.entries(
    Object.groupBy(globSync("src/**/*.ts", { cwd: root }), (file) => join(dirname(file), "/")),
  );
  const unnamed = folders
    .filter(([, files = []]) => files.filter((file) => !file.endsWith(".test.ts")).length > 3)
    .filter(([folder]) => !named.some((path) => path.startsWith(folder)))
    .map(([folder]) => folder);
  expect(unnamed).toEqual([]);
});

test("AGENTS.md is short", () => {
  expect(text.split("\n").length).toBeLessThanOrEqual(100);
});

test("every path that AGENTS.md names exists", () => {
  const mentioned = [...text.matchAll(/`([\w./-]+\/[\w./-]*|[\w-]+\.(?:md|ts))`/g)].map(
    (match) => match[1] ?? "",
  );
  const paths = [...treePaths, ...mentioned];
  expect(paths.length).toBeGreaterThan(25);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
