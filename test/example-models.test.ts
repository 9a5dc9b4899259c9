import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleModels } from "../src/adapters/models/example-models.ts";

const root = join(import.meta.dirname, "..");
const places = ["README.md", "docs/**/*.md", "examples/**/*.{md,json,ts,mjs}", "src/**/*.ts"];
/** Lists of what providers sell, or have sold. */
const lists = /\.test\.ts$|models\/prices\.ts$|docs\/decisions\//;
const modelName =
  /\b(?:gpt-\d[\w.]*(?:-[a-z]+)*|claude-(?:opus|sonnet|haiku)-[\d-]+|gemini-[\d.]+-[a-z-]+|llama-?\d[\w.-]*)/g;

test("README, docs, examples, help and errors name one set of models", () => {
  const known = new Set(
    Object.values(exampleModels).flatMap(({ target, optimizer }) =>
      [target, optimizer].map((id) => id.slice(id.lastIndexOf("/") + 1)),
    ),
  );
  const files = globSync(places, { cwd: root }).filter((path) => !lists.test(path));
  expect(files.length).toBeGreaterThan(300);
  const others = files.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(modelName)].flatMap(([name]) =>
      known.has(name) ? [] : [`${path}: ${name}`],
    ),
  );
  expect(others).toEqual([]);
});
