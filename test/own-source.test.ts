import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countSourceLines } from "./support/walls/measure-sources.ts";
import walls from "./walls.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const sources = ["src", "ui"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.(?:tsx?|css|html)$/.test(file.name))
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => !/node_modules|test/.test(path.slice(root.length))),
);
const texts = sources.map((path) => ({
  path: path.slice(root.length + 1),
  text: readFileSync(path, "utf8"),
}));

/** Where a vendor's own documents send everybody. */
const vendors =
  /(?:^|\.)(?:openai|anthropic|openrouter|nvidia|googleapis|aliyuncs|chatgpt|x|together|perplexity|moonshot|mistral|minimax|groq|fireworks|deepseek|deepinfra|cerebras)\.(?:com|ai|io|xyz)$/;
/** Names in formats and documents, and this machine. */
const others = new Set([
  "127.0.0.1",
  "localhost",
  "host",
  "no-model.invalid",
  "sqlite.org",
  "www.postgresql.org",
]);
const formats = new Set(["www.w3.org", "www.apple.com", "schemas.microsoft.com"]);

test("fault 23: the source names public addresses alone, and no account, tenant or identity of anybody", () => {
  const found = texts.flatMap(({ path, text }) => [
    ...[...text.matchAll(/https?:\/\/([\w.-]+)/g)]
      .map(([, host = ""]) => host)
      .filter((host) => !vendors.test(host) && !others.has(host) && !formats.has(host))
      .map((host) => `${path}: ${host}`),
    ...[...text.matchAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi)].map(([id]) => `${path}: ${id}`),
  ]);
  expect(texts.length).toBeGreaterThan(400);
  expect(found).toEqual([]);
});

test("no test takes the time: a busy machine is no fault", () => {
  const tests = ["src", "ui", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(({ name }) => name.endsWith(".test.ts"))
      .map((file) => join(file.parentPath, file.name)),
  );
  const taking = /performance\.now\(\)\s*-|Date\.now\(\)\s*-\s*\w*(?:start|began|before|at)\w*\b/i;
  expect(tests.length).toBeGreaterThan(200);
  expect(
    tests
      .filter((path) => taking.test(readFileSync(path, "utf8")))
      .map((path) => path.slice(root.length + 1)),
  ).toEqual(["src/adapters/agents/watch-run.test.ts"]);
});

test("fault 30: no file of ours has more than 600 lines", () => {
  const long = texts.filter(({ text }) => text.split("\n").length > 600).map(({ path }) => path);
  expect(long).toEqual([]);
});

/** Every feature names what leaves for it: only a commit that names what was added may raise the number, and never above 100,000. */
test("src and ui have no more lines than walls.json allows", () => {
  expect(walls.mostLines).toBeLessThanOrEqual(100_000);
  expect(countSourceLines()).toBeLessThanOrEqual(walls.mostLines);
});
