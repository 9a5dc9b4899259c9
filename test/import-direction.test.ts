import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../src");

/** From the bottom up: a layer may import itself and what stands before it. */
const layers = ["core", "adapters", "config", "report", "testing", "run", "sleep", "apps", "vitest"];
/** Layers of one storey do not import one another. */
const storeys: Record<string, number> = {
  core: 0,
  adapters: 1,
  config: 2,
  report: 2,
  testing: 2,
  run: 3,
  sleep: 4,
  apps: 5,
  vitest: 5,
  index: 5,
  ports: 5,
  method: 5,
};
/** What `core` may use besides itself: effect-free. */
const effectFree = new Set([
  "zod",
  "yaml",
  "ajv",
  "ajv/dist/2020.js",
  "node:module",
  "node:crypto",
  "node:vm",
]);

interface Import {
  readonly from: string;
  readonly to: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(
    /(?:^|\n)(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']|(?:^|\n)import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g,
  );
  return [...found].map((match) => ({ from: file, to: match[1] ?? match[2] ?? match[3] ?? "" }));
}

const layerOf = (path: string): string => path.split("/")[0]?.replace(/\.ts$/, "") ?? "";
const resolveImport = ({ from, to }: Import): string => normalize(join(dirname(from), to));

const files = globSync("**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
const imports = files.flatMap(importsOf);

test("every folder of src is a known layer", () => {
  const known = new Set([...layers, "index", "ports", "method", "rule"]);
  expect([...new Set(files.map(layerOf))].filter((layer) => !known.has(layer))).toEqual([]);
});

test("imports point down only", () => {
  const upward = imports.filter((one) => {
    if (!one.to.startsWith(".")) return false;
    const [from, to] = [layerOf(one.from), layerOf(resolveImport(one))];
    return from !== to && (storeys[to] ?? 9) >= (storeys[from] ?? 9);
  });
  expect(upward).toEqual([]);
});

test("core imports only core and what has no effects", () => {
  const leaving = imports.filter(
    ({ from, to }) => layerOf(from) === "core" && !to.startsWith(".") && !effectFree.has(to),
  );
  expect(leaving).toEqual([]);
});

test("the environment is read in config alone", () => {
  const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), "utf8")));
  expect(readers.filter((file) => layerOf(file) !== "config")).toEqual([]);
});
