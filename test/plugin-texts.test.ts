import { spawnSync } from "node:child_process";
import { globSync, readFileSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { readSkill } from "../src/config/files/read-skill.ts";
import { lintSkill } from "../src/core/lint/lint-skill.ts";
import { readFrontmatter } from "../src/core/skill/frontmatter.ts";
import { withoutFrontmatter } from "../src/core/skill/regions.ts";
import { verdictWords } from "../src/core/verdict-words.ts";
import { readTree } from "./support/adopt/workshop.ts";
import { forgeReceipt } from "./support/forge-receipt.ts";
import { tempDir } from "./support/temp-dir.ts";

const plugin = join(import.meta.dirname, "../plugins/whetstone");
const skill = join(plugin, "skills/whetstone");

/** The commands as they are written; what other agents take is made of them. `-u` writes it anew. */
const commands = globSync("commands/*.md", { cwd: plugin }).map((path) => {
  const text = readFileSync(join(plugin, path), "utf8");
  const read = readFrontmatter(text);
  if (read.kind !== "read") throw new Error(`${path} has no frontmatter.`);
  const { description } = read.fields;
  return {
    name: basename(path, ".md"),
    description: String(description),
    body: withoutFrontmatter(text).trim(),
  };
});

const added = "What the person added: $ARGUMENTS";

test("night, review, train and status are the commands", () => {
  expect(commands.map(({ name }) => name).toSorted()).toEqual(["night", "review", "status", "train"]);
});

test("the skill has the steps of each command as a reference, for agents without commands", async () => {
  for (const { name, description, body } of commands)
    await expect(`# ${description}\n\n${body.replace(added, "").trim()}\n`).toMatchFileSnapshot(
      join(skill, "references", `${name}.md`),
    );
});

test("Gemini CLI gets each command as TOML", async () => {
  for (const { name, description, body } of commands) {
    expect(body).not.toMatch(/'''|!\{|@\{/);
    const prompt = body.replace("$ARGUMENTS", "{{args}}");
    await expect(
      `description = ${JSON.stringify(description)}\nprompt = '''\n${prompt}\n'''\n`,
    ).toMatchFileSnapshot(join(plugin, "commands/whetstone", `${name}.toml`));
  }
});

test("pi and OpenCode, which put no name before a command, get each with ours before it", async () => {
  for (const { name, description, body } of commands)
    await expect(`---\ndescription: ${description}\n---\n\n${body}\n`).toMatchFileSnapshot(
      join(plugin, "prompts", `whetstone-${name}.md`),
    );
});

test("commands pre-approve only whole command lines, and in a hostile clone those write nothing", async () => {
  const approved = new Set(
    globSync("commands/*.md", { cwd: plugin }).flatMap((path) =>
      [...readFileSync(join(plugin, path), "utf8").matchAll(/\bBash\(([^)]*)\)/g)].map(
        ([, line = ""]) => line,
      ),
    ),
  );
  expect(approved.size).toBeGreaterThan(3);
  expect([...approved].filter((line) => /[*:]|\bnpx\b/.test(line))).toEqual([]);
  const main = join(import.meta.dirname, "../src/apps/cli/main.ts");
  const home = realpathSync(await tempDir({}));
  const victim = join(home, ".bash_aliases");
  for (const line of approved) {
    const [program, ...args] = line.split(" ");
    expect(program).toBe("whetstone");
    const clone = realpathSync(await tempDir({ "whetstone.config.mjs": "process.exit(77);\n" }));
    forgeReceipt(clone, { target: victim, live: victim });
    const before = readTree(clone);
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      NO_COLOR: "1",
      XDG_STATE_HOME: process.env["XDG_STATE_HOME"],
    };
    const { status } = spawnSync(process.execPath, [main, ...args], { cwd: clone, env });
    expect([line, status]).not.toEqual([line, 77]);
    expect([line, readTree(clone), readTree(home)]).toEqual([line, before, new Map()]);
  }
});

test("our own linter finds nothing in the skill, and it is short", async () => {
  const read = await readSkill(skill);
  expect(Object.keys(read.files).toSorted()).toEqual([
    "SKILL.md",
    ...commands.map(({ name }) => `references/${name}.md`).toSorted(),
  ]);
  expect(lintSkill(read).findings).toEqual([]);
  expect((read.files["SKILL.md"] ?? "").split("\n").length).toBeLessThan(120);
});

test("the skill explains every verdict word", () => {
  const [, table = ""] = readFileSync(join(skill, "SKILL.md"), "utf8").split(
    "## What the verdict words mean",
  );
  const cells = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = ""]) => cell);
  const named = cells.flatMap((cell) => {
    const [first = "", second] = cell.split(", ");
    const [, rest = ""] = second?.split(/ (.*)/) ?? [];
    return second === undefined ? [first] : [rest === "" ? first : `${first} ${rest}`, second];
  });
  expect(named).toEqual(expect.arrayContaining(Object.values(verdictWords).map(({ word }) => word)));
});
