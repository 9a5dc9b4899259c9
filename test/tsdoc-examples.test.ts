import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "./support/temp-dir.ts";
import { type Source, exportsOf, namesOf, readSources } from "./support/source-graph.ts";

const root = join(import.meta.dirname, "..");
const byPath = new Map(readSources("src").map((source) => [source.path, source]));
const entries = {
  whetstone: "src/index.ts",
  "whetstone/ports": "src/ports.ts",
  "whetstone/method": "src/method.ts",
  "whetstone/rule": "src/rule.ts",
  "whetstone/testing": "src/testing/index.ts",
  "whetstone/vitest": "src/vitest/index.ts",
};

/** Every public name with the entry that a reader would import it from. */
const publicNames = new Map(
  Object.entries(entries)
    .toReversed()
    .flatMap(([entry, path]) => exportsOf(sourceAt(path)).map((name) => [name, { entry, path }] as const)),
);

test("every public function has an example", () => {
  const without = [...publicNames].flatMap(([name, { path }]) => {
    const doc = docOf(path, name);
    return doc === undefined || doc.includes("@example") ? [] : [name];
  });
  expect(without).toEqual([]);
});

test("every example compiles as it stands", async () => {
  const folder = await tempDir();
  mkdirSync(join(folder, "examples"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const files = new Set([...publicNames].map(([name, { path }]) => declaredIn(path, name)));
  const examples = [...files, "src/vitest/index.ts"].flatMap((path) =>
    [...textAt(path).matchAll(/^ *\* @example\n((?: *\*(?: .*)?\n)+?) *\*\//gm)].map(([, lines = ""]) => ({
      path,
      code: lines.replaceAll(/^ *\* ?/gm, ""),
    })),
  );
  expect(examples.length).toBeGreaterThan(40);
  for (const [at, { path, code }] of examples.entries())
    writeFileSync(
      join(folder, "examples", `${at}-${path.replaceAll("/", "-")}`),
      `${importsFor(code)}\n${code}\nexport {};\n`,
    );
  const paths = Object.fromEntries(
    Object.entries(entries).map(([entry, path]) => [entry, [join(root, path)]]),
  );
  const options = { extends: join(root, "tsconfig.json"), include: ["examples"] };
  const compilerOptions = { paths, noUnusedLocals: false, rootDir: "/" };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...options, compilerOptions }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { cwd: folder, encoding: "utf8" });
  expect(stdout).toBe("");
});

/** What the example uses of ours, and the test runner's `expect` and `test`. */
function importsFor(code: string): string {
  const used = new Set(code.match(/\b[A-Za-z]\w+\b/g));
  const own = new Set([...code.matchAll(/\b(?:const|let|function) (\w+)/g)].map(([, name = ""]) => name));
  const lines = [...publicNames].flatMap(([name, { entry, path }]) => {
    if (!used.has(name) || own.has(name)) return [];
    const isType = docOf(path, name) === undefined;
    return [`import ${isType ? "type " : ""}{ ${name} } from "${entry}";`];
  });
  if (/\bexpect\(/.test(code)) lines.push('import "whetstone/vitest";', 'import { expect } from "vitest";');
  return lines.join("\n");
}

/** The comment above a function, a class or a value; undefined for a type. */
function docOf(entry: string, name: string): string | undefined {
  const { path, own } = found(entry, name);
  const form = new RegExp(
    `((?:/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?)export (?:async function|function|const|class) ${own}\\b`,
  );
  return form.exec(textAt(path))?.[1];
}

const declaredIn = (entry: string, name: string): string => found(entry, name).path;

function found(path: string, name: string): { readonly path: string; readonly own: string } {
  const at = namesOf(sourceAt(path)).get(name);
  if (at === undefined || at.path === path) return { path, own: at?.name ?? name };
  return found(at.path, at.name);
}

function sourceAt(path: string): Source {
  const source = byPath.get(path);
  if (source === undefined) throw new Error(`There is no ${path}.`);
  return source;
}

const textAt = (path: string): string => readFileSync(join(root, path), "utf8");
