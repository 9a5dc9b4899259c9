import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allCodingAgents } from "../src/adapters/coding-agents/coding-agents.ts";

const root = join(import.meta.dirname, "..");
const page = (name: string): string => readFileSync(join(root, "docs", name), "utf8");

test("every coding agent has one file, and nothing else lies beside them", () => {
  const shared = ["coding-agent", "coding-agents"];
  const files = readdirSync(join(root, "src/adapters/coding-agents"))
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => file.replace(/\.ts$/, ""));
  expect(files.toSorted()).toEqual([...shared, ...allCodingAgents.map(({ name }) => name)].toSorted());
});

test.each(allCodingAgents)(
  "the docs say what works with $name",
  ({ name, label, cli, transcripts, plugin }) => {
    if (cli !== undefined) expect(page("agents.md")).toContain(`\`${name}/<model>\``);
    if (transcripts !== undefined)
      expect(page("sleep.md")).toMatch(
        new RegExp(`^\\| ${label}(?: v[\\d.]+)?(?: \\(\\*experimental\\*\\))? \\|`, "m"),
      );
    if (plugin !== undefined) expect(page("plugins.md")).toMatch(new RegExp(`^\\| \`${name}\` \\|`, "m"));
  },
);

/** A copy of what an agent's file says would be forgotten by whoever adds one. */
test("no table beside the agents' files lists them", () => {
  const names = new Set<string>(allCodingAgents.map(({ name }) => name));
  const found = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .filter((path) => !/coding-agents|adapters\/transcripts\/readers/.test(path))
    .filter((path) => {
      const keys = readFileSync(join(root, "src", path), "utf8").matchAll(/^\s*"?([\w-]+)"?: .*/gm);
      return new Set([...keys].map(([, key = ""]) => key).filter((key) => names.has(key))).size > 1;
    });
  // models that texts name as examples
  expect(found).toEqual(["adapters/models/example-models.ts"]);
});
