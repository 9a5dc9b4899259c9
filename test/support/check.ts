// npm run check: format, lint, types, and the tests that a change most likely breaks. `npm test` runs all of them.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { importsOf, readSources } from "./source-graph.ts";

const root = join(import.meta.dirname, "../..");
/** Rules of the house: quick, and broken from anywhere. */
const always = [
  "test/walls.test.ts",
  "test/import-direction.test.ts",
  "test/own-source.test.ts",
  "test/folders.test.ts",
];
/** Takes minutes: it runs in CI. */
const slow = /^test\/trust/;

const git = (...args: readonly string[]): readonly string[] =>
  spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.split("\n").filter(Boolean);

/** What differs from the branch that this one came from, committed or not. */
function changedFiles(): readonly string[] {
  const [base = "HEAD"] = git("merge-base", "HEAD", "origin/main");
  return [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")].filter(
    (file) => existsSync(join(root, file)),
  );
}

/** Tests that were changed, or lie beside a changed file and import it; where none does, all that lie there. */
function testsOf(changed: readonly string[]): readonly string[] {
  const beside = changed
    .filter((file) => /^(?:src|test|ui)\/.*\.tsx?$/.test(file) && !isTest(file))
    .flatMap((file) => {
      const tests = readSources(dirname(file)).filter(
        ({ path }) => dirname(path) === dirname(file) && isTest(path),
      );
      const importing = tests.filter((test) => importsOf(test).includes(file));
      return (importing.length > 0 ? importing : tests).map(({ path }) => path);
    });
  return [...new Set([...always, ...beside, ...changed.filter(isTest)])].filter((path) => !slow.test(path));
}

const isTest = (path: string): boolean => /(?<!\.long)\.test\.tsx?$/.test(path);

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
  `${tests.length} test files: changed, beside what was changed, or rules of the house. \`npm test\` runs all.`,
);
const results = [
  ...(await Promise.all([
    run("format and lint", "npm", ["run", "-s", "lint"]),
    run("types", "npm", ["run", "-s", "types"]),
  ])),
  await run("tests", "npx", ["vitest", "run", ...tests]),
];
process.exit(results.every(Boolean) ? 0 : 1);
