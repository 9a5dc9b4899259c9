import { execFileSync, spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Walls } from "./support/walls/grown-walls.ts";
import { copyRepository, follow, readRecipes, runIn } from "./support/recipes.ts";

const steps = readRecipes();
const ofRecipe = (...names: readonly string[]) => steps.filter(({ recipe }) => names.includes(recipe));
const isCode = (path: string): boolean => path.endsWith(".ts");
const isLong = (process.env["WHETSTONE_LONG"] ?? "") !== "";

test("a recipe that is followed word by word compiles, is linted and works", { timeout: 0 }, async () => {
  const copy = await copyRepository();
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: copy });
  if (isLong) {
    git("init", "-qb", "main");
    git("add", ".");
    git("commit", "-qm", "before");
  }
  for (const step of steps) follow(copy, step);
  const files = [...new Set(steps.map(({ path }) => path))].filter(isCode);
  const tests = files.filter((path) => path.endsWith(".test.ts"));
  const tested = new Set(steps.filter(({ path }) => path.endsWith(".test.ts")).map(({ recipe }) => recipe));
  expect([...new Set(steps.map(({ recipe }) => recipe))].filter((recipe) => !tested.has(recipe))).toEqual([]);
  expect(runIn(copy, "typescript/bin/tsc", "--noEmit", "--rootDir", "/").stdout).toBe("");
  const formatted = runIn(copy, "@biomejs/biome/bin/biome", "format", "--vcs-enabled=false", ...files);
  expect([formatted.status, formatted.status === 0 ? "" : formatted.stderr]).toEqual([0, ""]);
  const linted = runIn(copy, "oxlint/bin/oxlint", "--deny-warnings", ...files);
  expect([linted.status, linted.status === 0 ? "" : linted.stdout]).toEqual([0, ""]);
  const ran = runIn(copy, "vitest/vitest.mjs", "run", "test/coding-agents.test.ts", ...tests);
  expect([ran.status, ran.status === 0 ? "" : ran.stdout]).toEqual([0, ""]);
  if (!isLong) return;
  const wallsFile = join(copy, "test/walls.json");
  const walls = JSON.parse(readFileSync(wallsFile, "utf8")) as Walls;
  const named = { mostLines: Number(walls["mostLines"]) + 500, mostLinesBecause: "what the recipes add" };
  writeFileSync(wallsFile, JSON.stringify({ ...walls, ...named }));
  for (const script of ["generate", "check"]) {
    const done = spawnSync("npm", ["run", "-s", script], { cwd: copy, encoding: "utf8" });
    expect([script, done.status, done.status === 0 ? "" : done.stdout]).toEqual([script, 0, ""]);
  }
});

/** Of an agent, a night source, an event and a gate, what nobody can forget; one compiler for all, since it takes longest. */
test("who adds the name of an agent, a source, an event or a gate is told every other place", {
  timeout: 0,
}, async () => {
  const copy = await copyRepository();
  const added = ofRecipe("An agent", "A night source", "An event");
  const isName = (path: string) => path.startsWith("src/core/");
  for (const step of added.filter(({ path }) => isName(path))) follow(copy, step);
  const gates = join(copy, "src/core/gate/gate-names.ts");
  const row = 'off: "candidates"';
  writeFileSync(gates, readFileSync(gates, "utf8").replace(row, `${row}, vote: "candidates"`));
  // an agent's file without one of its fields, each in turn
  const tape = added.find(({ path }) => path === "src/adapters/coding-agents/tape.ts")?.code ?? "";
  const fields = [...tape.matchAll(/^ {2}(\w+): .*\n/gm)];
  expect(fields.length).toBe(11);
  for (const [line, field] of fields)
    writeFileSync(
      join(copy, `src/adapters/coding-agents/without-${field}.ts`),
      tape
        .replace(line, "")
        .replace("../transcripts/readers/tape.ts", "../transcripts/readers/pi.ts")
        .replaceAll("tapeSource", "piSource"),
    );
  const said = runIn(copy, "typescript/bin/tsc", "--noEmit", "--rootDir", "/").stdout;
  const named = new Set([...said.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, path = ""]) => path));
  const missing = said.match(/missing the following properties from type[^\n]*: ([^\n]*)/)?.[1];
  expect(missing).toBe("echo, tape");
  expect([...named].toSorted()).toEqual(
    [
      ...fields.map(([, field]) => `src/adapters/coding-agents/without-${field}.ts`),
      "src/adapters/coding-agents/coding-agents.ts",
      "src/core/loop/gates.ts",
      "src/report/run-state.ts",
      "src/show/run-view.ts",
    ].toSorted(),
  );
  // all of the code, and no page
  const pages = added.filter(({ path }) => !isCode(path)).map(({ path }) => path);
  const clean = await copyRepository();
  for (const step of added.filter(({ path }) => isCode(path))) follow(clean, step);
  const ran = runIn(clean, "vitest/vitest.mjs", "run", "test/coding-agents.test.ts", "--no-color");
  const failed = [
    ...`${ran.stdout}${ran.stderr}`.matchAll(/FAIL .* the docs say what works with '?(\w+)/gm),
  ].map(([, name = ""]) => name);
  expect([pages, failed.toSorted()]).toEqual([
    ["docs/agents.md", "docs/sleep.md"],
    ["echo", "tape"],
  ]);
  const places = new Set(added.map(({ path }) => path).filter((path) => !path.endsWith(".test.ts")));
  const told = [...named, ...pages, ...added.filter(({ path }) => isName(path)).map(({ path }) => path)];
  const readers = [
    "src/adapters/coding-agents/echo.ts",
    "src/adapters/coding-agents/tape.ts",
    "src/adapters/transcripts/readers/tape.ts",
  ];
  // its own files, without which the two lines in coding-agents.ts don't compile
  expect([...places].filter((path) => !told.includes(path)).toSorted()).toEqual(readers);
});

test("a gate takes at most 40 lines", () => {
  const gate = steps.find(({ path }) => path === "src/two-tasks.ts");
  expect(gate?.code.trim().split("\n").length).toBeLessThanOrEqual(40);
});

test("no file of training asks for a gate by its name", () => {
  const root = join(import.meta.dirname, "..");
  const asks = /gate(?:\.kind|"\])? (?:===|!==) "(?:rules|strict|off)"/;
  const files = globSync("src/{core,run,report,show,apps}/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });
  const asking = files.filter((path) => asks.test(readFileSync(join(root, path), "utf8")));
  // the gate of nights, which is on or off
  expect(asking).toEqual(["src/show/review-lines.ts"]);
});
