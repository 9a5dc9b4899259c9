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
  /** More of them, which only helpers import that proofs share with tests. */
  readonly innerFilesInHelpersOfProofs: readonly string[];
}

const exceptions = JSON.parse(readFileSync(join(import.meta.dirname, "walls.json"), "utf8")) as Exceptions;

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
  expect(inner.size).toBeLessThanOrEqual(37);
  const more = [...innerOf(helpersOf(proofs))].filter((path) => !inner.has(path));
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
