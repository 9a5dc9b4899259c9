import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "./support/temp-dir.ts";

const root = join(import.meta.dirname, "..");
const guide = readFileSync(join(root, "docs/extend.md"), "utf8");

interface Step {
  readonly path: string;
  /** What is added below this line, or stands in its place; undefined: a new file. */
  readonly below?: string;
  readonly instead?: string;
  readonly code: string;
}

const steps: readonly Step[] = [
  ...guide.matchAll(
    /^(?:New file `([^`]+)`|In `([^`]+)`, (below|instead of) `(.+)`):\n\n```(?:ts|md)\n([\s\S]*?)```/gm,
  ),
].map(([, file, changed = "", how, line, code = ""]) =>
  file === undefined
    ? { path: changed, code, [how === "below" ? "below" : "instead"]: `${line}\n` }
    : { path: file, code },
);

test("whoever follows docs/extend.md has a scorer, an importer, an agent and a verb that work", async () => {
  const copy = await tempDir();
  for (const name of [
    "src",
    "test/support",
    "test/vectors",
    "docs",
    "package.json",
    "tsconfig.json",
    "vitest.config.ts",
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const { path, below, instead, code } of steps) {
    const file = join(copy, path);
    const anchor = below ?? instead;
    const text = anchor === undefined ? "" : readFileSync(file, "utf8");
    if (anchor !== undefined) expect([path, text.split(anchor).length]).toEqual([path, 2]);
    const next = anchor === undefined ? code : text.replace(anchor, () => (below ?? "") + code);
    writeFileSync(file, next);
  }
  const tests = steps.map(({ path }) => path).filter((path) => path.endsWith(".test.ts"));
  expect(tests.length).toBe(4);
  const types = run(copy, "typescript/bin/tsc", "--noEmit", "--rootDir", "/");
  expect(types.stdout).toBe("");
  const ran = run(copy, "vitest/vitest.mjs", "run", ...tests);
  expect([ran.status, ran.status === 0 ? "" : ran.stdout]).toEqual([0, ""]);
});

function run(cwd: string, tool: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [join(root, "node_modules", tool), ...args], { cwd, encoding: "utf8" });
}
