import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type Source,
  declarationsOf,
  exportsOf,
  findCircles,
  importsOf,
  namesFrom,
  namesOf,
  packagesOf,
  readSources,
  typesNamedBy,
} from "./support/source-graph.ts";
import { countVoice } from "./support/walls/count-voice.ts";
import { type Walls, findBase, grownWalls, wallsAt } from "./support/walls/grown-walls.ts";
import { longFunctions, ruleTypes, strayNames, wideTypes } from "./support/walls/measure-sources.ts";

/** What still crosses a wall. These lists only shrink. */
interface Exceptions {
  /** The files of each circle. */
  readonly circles: readonly (readonly string[])[];
  /** `file → file` */
  readonly proofsInSource: readonly string[];
  readonly unreachableTypes: readonly string[];
  readonly namesDefinedTwice: readonly string[];
  /** What the fleet needs beside ports and the leaves of core, and why. */
  readonly beyondPorts: Readonly<Record<string, string>>;
  /** Files that proofs import although they are no public entry, by the reason. */
  readonly innerFilesInProofs: Readonly<Record<string, readonly string[]>>;
  /** Files that import functions of Node which change files, by where they do. */
  readonly mayChangeFiles: Readonly<Record<string, readonly string[]>>;
  /** Functions of more than 120 lines and types of more than 20 fields, as `file name`, with the reason. */
  readonly longFunctions: Readonly<Record<string, string>>;
  readonly wideTypes: Readonly<Record<string, string>>;
  /** Types and schemas that describe a rule by its words or its change and its id. */
  readonly ruleTypes: readonly string[];
  /** Exported names in which a word of the glossary has another meaning, by the word. */
  readonly strayNames: Readonly<Record<string, readonly string[]>>;
  /** How often people read what sounds like a translation, by pattern; `npm run generate` lowers them. */
  readonly voice: Readonly<Record<string, number>>;
  /** More of them, which only helpers import that proofs share with tests. */
  readonly innerFilesInHelpersOfProofs: readonly string[];
}

const root = join(import.meta.dirname, "..");
const exceptions = JSON.parse(readFileSync(join(root, "test/walls.json"), "utf8")) as Exceptions & Walls;

const everything = readSources("src");
const byPath = new Map(everything.map((source) => [source.path, source]));
const source = everything.filter(({ path }) => !path.endsWith(".test.ts"));

test("no circle of imports, types included", () => {
  const circles = [source, readSources("ui/src"), readSources("proofs")].flatMap(findCircles);
  expect(circles).toEqual(exceptions.circles);
});

test("neither the source nor its tests import proofs", () => {
  const found = [...everything, ...readSources("test")].flatMap((each) =>
    importsOf(each)
      .filter((path) => path.startsWith("proofs/"))
      .map((path) => `${each.path} → ${path}`),
  );
  expect(found).toEqual(exceptions.proofsInSource);
});

const entries = ["index", "ports", "method", "rule", "testing/index", "vitest/index"].map(
  (name) => `src/${name}.ts`,
);

test("proofs stand on the public entries and the CLI", () => {
  const face = new Set([...entries, "src/apps/cli/main.ts"]);
  const innerOf = (sources: readonly Source[]) =>
    new Set(sources.flatMap(importsOf).filter((path) => path.startsWith("src/") && !face.has(path)));
  const proofs = readSources("proofs");
  const inner = innerOf(proofs);
  const listed = Object.values(exceptions.innerFilesInProofs).flat();
  expect([...inner].toSorted()).toEqual(listed.toSorted());
  const more = [...innerOf(helpersOf(proofs))].filter((path) => !inner.has(path));
  expect(inner.size + more.length).toBeLessThanOrEqual(15);
  expect(more.toSorted()).toEqual(exceptions.innerFilesInHelpersOfProofs);
});

/** What of test/support these files import, and what that imports of it in turn. */
function helpersOf(sources: readonly Source[]): readonly Source[] {
  const helpers = new Map(readSources("test/support").map((each) => [each.path, each]));
  const found = new Set<Source>();
  const follow = (from: Source): void => {
    for (const path of importsOf(from)) {
      const helper = helpers.get(path);
      if (helper === undefined || found.has(helper)) continue;
      found.add(helper);
      follow(helper);
    }
  };
  for (const each of sources) follow(each);
  return [...found];
}

test("every type that a public signature names can be imported", () => {
  const published = entries.flatMap((entry) =>
    exportsOf(sourceAt(entry)).flatMap((name) => declaredAt(entry, name) ?? []),
  );
  const isPublished = new Set(published.map(({ path, name }) => `${path} ${name}`));
  const named = published.flatMap(({ path, name }) =>
    declarationsOf(sourceAt(path))
      .filter((declared) => declared.name === name)
      .flatMap(({ node }) => typesNamedBy(node))
      .flatMap((type) => declaredAt(path, type) ?? [])
      .map((at) => `${at.path} ${at.name}`),
  );
  expect(published.length).toBeGreaterThan(80);
  expect([...new Set(named)].filter((each) => !isPublished.has(each)).toSorted()).toEqual(
    exceptions.unreachableTypes,
  );
});

test("the fleet needs ports, leaves of core and a list that only shrinks, so that it could be a package", () => {
  const isFleet = (path: string) =>
    /^src\/adapters\/(?:fleet|journals\/postgres)\/|^src\/adapters\/executors\/bullmq/.test(path);
  const isShared = (path: string) => /^src\/core\/(?:ports\/)?[^/]+$/.test(path);
  const needed = source
    .filter(({ path }) => isFleet(path))
    .flatMap(importsOf)
    .filter((path) => !isFleet(path) && !isShared(path));
  expect([...new Set(needed)].toSorted()).toEqual(Object.keys(exceptions.beyondPorts));
});

test("what a project brings is opened by one reader alone", () => {
  const isHeld = (path: string) =>
    /^src\/(?:adapters\/importers|config\/files)\/|^src\/config\/(?:guess|resolve\/find-work)\.ts$/.test(
      path,
    );
  const held = source.filter(({ path }) => isHeld(path));
  expect(held.length).toBeGreaterThan(30);
  expect(held.filter((each) => packagesOf(each).some((name) => /^(?:node:)?fs\b/.test(name)))).toEqual([]);
});

test("only a few modules change files by themselves; the others write through them", () => {
  const changing =
    /^(?:writeFile|appendFile|createWriteStream|mkdir|mkdtemp|rename|rm|rmdir|unlink|truncate|symlink|link|l?chmod|l?chown|cp|copyFile)(?:Sync)?$/;
  const found = source
    .filter(({ path }) => !path.startsWith("src/testing/"))
    .filter((each) => namesFrom(each, /^node:fs/).some((name) => changing.test(name)))
    .map(({ path }) => path);
  expect(found).toEqual(Object.values(exceptions.mayChangeFiles).flat().toSorted());
});

test("no exported name has two definitions", () => {
  const files = new Map<string, Set<string>>();
  for (const each of source)
    for (const { name, isExported } of declarationsOf(each))
      if (isExported) files.set(name, (files.get(name) ?? new Set()).add(each.path));
  const twice = [...files].filter(([, paths]) => paths.size > 1).map(([name]) => name);
  expect(twice.toSorted()).toEqual(exceptions.namesDefinedTwice);
});

const shown = [...source, ...readSources("ui/src").filter(({ path }) => !/\.test\.tsx?$/.test(path))];

test("no function has more than 120 lines, and no type more than 20 fields, without a reason", () => {
  const functions = shown.flatMap((each) => [...longFunctions(each, 120).keys()]);
  expect(functions).toEqual(Object.keys(exceptions.longFunctions));
  expect(shown.flatMap((each) => wideTypes(each, 20))).toEqual(Object.keys(exceptions.wideTypes));
});

test("a rule is described by few types", () => {
  expect(shown.flatMap(ruleTypes)).toEqual(exceptions.ruleTypes);
  expect(exceptions.ruleTypes.length).toBeLessThanOrEqual(8);
});

test("words of the glossary mean one thing in names", () => {
  const found = Map.groupBy(shown.flatMap(strayNames), ([word]) => word);
  const names = [...found].map(([word, all]) => [word, [...new Set(all.map(([, name]) => name))].toSorted()]);
  expect(Object.fromEntries(names)).toEqual(exceptions.strayNames);
});

test("no more of what sounds like a translation than there was", () => {
  const counts = Object.entries(countVoice());
  expect(counts.filter(([name, count]) => count > (exceptions.voice[name] ?? 0))).toEqual([]);
});

test("no wall has grown since the merge base", ({ skip }) => {
  const base = findBase(root, process.env["GITHUB_BASE_REF"] || "main");
  const before = base === undefined ? undefined : wallsAt(root, base);
  if (before === undefined) return skip("There is no git history to compare walls.json with.");
  expect(grownWalls(before, exceptions)).toEqual([]);
});

test("a wall that grew is named, and one that moved, shrank or is new isn't", () => {
  const before = {
    mostLines: 10,
    mostLinesBecause: "doors",
    circles: [["a", "b"]],
    files: { why: ["a", "b"], because: ["c"] },
    reasons: { a: "why" },
    voice: { anew: 3, beside: 2 },
  };
  expect(grownWalls(before, before)).toEqual([]);
  expect(
    grownWalls(before, { ...before, files: { why: ["moved"] }, voice: { anew: 1 }, other: [1] }),
  ).toEqual([]);
  expect(grownWalls(before, { ...before, circles: [["a", "b"], ["c"]] })).toEqual(["circles: 1 → 2"]);
  expect(grownWalls(before, { ...before, files: { why: ["a", "b", "d", "e"] } })).toEqual(["files: 3 → 4"]);
  expect(grownWalls(before, { ...before, reasons: { a: "why", b: "too" } })).toEqual(["reasons: 1 → 2"]);
  expect(grownWalls(before, { ...before, voice: { anew: 4, beside: 2 } })).toEqual(["voice, anew: 3 → 4"]);
  expect(grownWalls(before, { ...before, mostLines: 11 })).toHaveLength(1);
  expect(grownWalls(before, { ...before, mostLines: 11, mostLinesBecause: "windows" })).toEqual([]);
  expect(grownWalls(before, { ...before, mostLines: 100_001, mostLinesBecause: "a palace" })).toHaveLength(1);
});

function sourceAt(path: string): Source {
  const found = byPath.get(path);
  if (found === undefined) throw new Error(`There is no ${path}.`);
  return found;
}

/** Follows a name through the files that pass it on to where it is declared; undefined for what is not ours. */
function declaredAt(path: string, name: string): { path: string; name: string } | undefined {
  const from = byPath.get(path);
  const at = from === undefined ? undefined : namesOf(from).get(name);
  return at === undefined || at.path === path ? at : declaredAt(at.path, at.name);
}
