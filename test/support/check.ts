// npm run check: format, lint, types, and the tests that a change most likely breaks. `npm test` runs all of them.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { importsOf, readSources } from "./source-graph.ts";

const root = join(import.meta.dirname, "../..");
/** Rules of the house: quick, and broken from anywhere. */
const always = [
  "test/walls.test.ts",
  "test/import-direction.test.ts",
  "test/own-source.test.ts",
  "test/folders.test.ts",
];
/** Tests of the whole program take minutes each: they run when they are changed themselves, and in CI. */
const slow = /^test\/trust\.test|\.long\.test\.ts$/;

const git = (...args: readonly string[]): readonly string[] =>
  spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.split("\n").filter(Boolean);

/** What differs from the branch that this one came from, committed or not. */
function changedFiles(): readonly string[] {
  const [base = "HEAD"] = git("merge-base", "HEAD", "origin/main");
  return [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")].filter(
    (file) => existsSync(join(root, file)),
  );
}

/** Tests that were changed, or import a file that was. */
function testsOf(changed: readonly string[]): readonly string[] {
  const touched = new Set(changed);
  const importing = ["src", "test", "ui"]
    .flatMap(readSources)
    .filter(({ path }) => /\.test\.tsx?$/.test(path) && !slow.test(path))
    .filter((source) => importsOf(source).some((path) => touched.has(path)))
    .map(({ path }) => path);
  return [...new Set([...always, ...importing, ...changed.filter((file) => /\.test\.tsx?$/.test(file))])];
}

function run(name: string, command: string, args: readonly string[]): Promise<boolean> {
  const began = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, shell: process.platform === "win32" });
    const printed: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => printed.push(chunk));
    child.on("close", (code) => {
      if (code !== 0) process.stdout.write(Buffer.concat(printed));
      console.log(
        `${code === 0 ? "ok  " : "FAIL"} ${name} (${Math.round((performance.now() - began) / 1000)} s)`,
      );
      resolve(code === 0);
    });
  });
}

const tests = testsOf(changedFiles());
console.log(
  `${tests.length} test files are or import a changed file, or hold for all; \`npm test\` runs all.`,
);
const results = [
  ...(await Promise.all([
    run("format and lint", "npm", ["run", "-s", "lint"]),
    run("types", "npm", ["run", "-s", "types"]),
  ])),
  await run("tests", "npx", ["vitest", "run", ...tests]),
];
process.exit(results.every(Boolean) ? 0 : 1);
