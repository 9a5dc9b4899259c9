import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../src");

/** From the bottom up: a layer may import itself and what stands before it. */
const layers = ["core", "adapters", "config", "report", "testing", "run", "sleep", "show", "apps", "vitest"];
/** Layers of one storey do not import one another. */
const storeys: Record<string, number> = {
  core: 0,
  adapters: 1,
  config: 2,
  report: 2,
  testing: 2,
  run: 3,
  sleep: 4,
  show: 5,
  apps: 6,
  vitest: 6,
  index: 6,
  ports: 6,
  method: 6,
};
/** What `core` may use besides itself: effect-free. */
const effectFree = new Set([
  "zod",
  "yaml",
  "ajv",
  "ajv/dist/2020.js",
  "node:module",
  "node:buffer",
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

test("no app imports another; the command line starts them, and loads them only then", () => {
  const appOf = (path: string): string => /^apps\/([^/]+)\//.exec(path)?.[1] ?? "";
  const between = imports
    .filter(({ to }) => to.startsWith("."))
    .map((one) => ({ ...one, path: resolveImport(one) }))
    .filter(({ from, path }) => appOf(from) !== "" && appOf(path) !== "" && appOf(from) !== appOf(path))
    .map(({ from, path }) => `${from} → ${path}`);
  expect(between.toSorted()).toEqual([
    "apps/cli/commands/ui-command.ts → apps/server/open-browser.ts",
    "apps/cli/commands/ui-command.ts → apps/server/start-server.ts",
    "apps/cli/program.ts → apps/mcp/serve.ts",
    "apps/cli/start.ts → apps/mcp/first-answers.ts",
  ]);
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
