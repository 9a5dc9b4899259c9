import { spawnSync } from "node:child_process";
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
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
    /^(?:New file `([^`]+)`|In `([^`]+)`, (below|instead of) `(.+)`):\n\n```ts\n([\s\S]*?)```/gm,
  ),
].map(([, file, changed = "", how, line, code = ""]) =>
  file === undefined
    ? { path: changed, code, [how === "below" ? "below" : "instead"]: `${line}\n` }
    : { path: file, code },
);

test("if you follow docs/extend.md, your scorer, importer, agent, gate and verb work", async () => {
  const copy = await tempDir();
  for (const name of [
    "src",
    "test/support",
    "test/vectors",
    "docs/.vitepress",
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
  expect(tests.length).toBe(5);
  const types = run(copy, "typescript/bin/tsc", "--noEmit", "--rootDir", "/");
  expect(types.stdout).toBe("");
  const ran = run(copy, "vitest/vitest.mjs", "run", ...tests);
  expect([ran.status, ran.status === 0 ? "" : ran.stdout]).toEqual([0, ""]);

  // one more name for the setting `gate`: the compiler names every place that needs a row
  const names = join(copy, "src/core/gate/gate-names.ts");
  writeFileSync(
    names,
    readFileSync(names, "utf8").replace('off: "candidates"', 'off: "candidates", vote: "candidates"'),
  );
  const missing = run(copy, "typescript/bin/tsc", "--noEmit", "--rootDir", "/");
  const places = missing.stdout.split("\n").flatMap((line) => /^(\S+?)\(/.exec(line)?.[1] ?? []);
  expect(places).toEqual(["src/core/loop/gates.ts"]);
});

test("a gate takes at most 40 lines", () => {
  const gate = steps.find(({ path }) => path === "src/two-tasks.ts");
  expect(gate?.code.trim().split("\n").length).toBeLessThanOrEqual(40);
});

test("no file of training asks for a gate by its name", () => {
  const asks = /gate(?:\.kind|"\])? (?:===|!==) "(?:rules|strict|off)"/;
  const files = globSync("src/{core,run,report,apps}/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });
  const asking = files.filter((path) => asks.test(readFileSync(join(root, path), "utf8")));
  // the gate of nights, which is on or off
  expect(asking).toEqual(["src/apps/cli/show/review-lines.ts"]);
});

function run(cwd: string, tool: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [join(root, "node_modules", tool), ...args], { cwd, encoding: "utf8" });
}
