import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Change, makeRepository } from "../../../test/support/repository.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Config } from "../../config/schema.ts";
import { openBase } from "./base-commit.ts";
import { changedInputs, touchedFiles } from "./changed-inputs.ts";
import { configForSkill } from "./own-config.ts";

const row = (id: string) => `${JSON.stringify({ id, input: "Q?", answers: ["a"] })}\n`;
const evals = (...files: readonly string[]) =>
  JSON.stringify({ skill_name: "a", evals: [{ id: 1, prompt: "Q?", expectations: ["Yes"], files }] });

interface Case {
  readonly before: Readonly<Record<string, Change>>;
  readonly change: Readonly<Record<string, Change>>;
  readonly config?: Config;
  /** @default a folder */
  readonly skill?: string;
  /** From the project's folder. */
  readonly loaded?: readonly string[];
}

async function changedOf({
  before,
  change,
  config = {},
  skill = "skills/a",
  loaded = [],
}: Case): Promise<readonly string[]> {
  const cwd = await tempDir();
  const [commit = ""] = makeRepository(cwd, [
    { "skills/a/SKILL.md": "A", "README.md": "R", ...before },
    { "skills/a/SKILL.md": "A2", "README.md": "R2", ...change },
  ]);
  const base = await openBase(cwd, commit);
  onTestFinished(() => base.close());
  const found = await changedInputs({
    cwd: base.cwd,
    skill,
    config: configForSkill(resolved(config, base.cwd), skill, base.cwd),
    loaded: loaded.map((file) => join(base.cwd, file)),
    touched: (await touchedFiles(cwd, commit)).map(base.inBase),
  });
  return found.map(({ kind, file }) => `${kind} ${file}`).toSorted();
}

const resolved = ({ tasks, calibration }: Config, cwd: string): Config => ({
  ...(typeof tasks === "string" ? { tasks: join(cwd, tasks) } : {}),
  ...(typeof calibration === "string" ? { calibration: join(cwd, calibration) } : {}),
});

const tasks = { "skills/a/tasks.jsonl": row("1") };

test("of a skill alone, and of one with files that nothing is measured by, there is nothing to name", async () => {
  expect(await changedOf({ before: tasks, change: {} })).toEqual([]);
  const others = {
    "skills/b/tasks.jsonl": row("2"),
    "skills/b/whetstone.config.json": "{}",
    "docs/a.md": "",
  };
  expect(await changedOf({ before: tasks, change: others })).toEqual([]);
  // the skill's folder as the place of its tasks
  const inside = { "skills/a/evals/evals.json": evals() };
  expect(await changedOf({ before: inside, change: {}, config: { tasks: "skills/a" } })).toEqual([]);
});

const form = "skills/a/evals/files/form.txt";
const cases: readonly (readonly [string, Case, readonly string[]])[] = [
  [
    "tasks and a config",
    {
      before: { ...tasks, "whetstone.config.json": "{}" },
      change: { "skills/a/tasks.jsonl": row("2"), "whetstone.config.json": "{ }" },
      loaded: ["whetstone.config.json"],
    },
    ["config whetstone.config.json", "tasks skills/a/tasks.jsonl"],
  ],
  [
    "a file that tasks link to",
    { before: { "skills/a/evals/evals.json": evals(form.slice(9)), [form]: "x" }, change: { [form]: "y" } },
    [`tasks ${form}`],
  ],
  [
    "a linked file that goes, which tasks elsewhere name",
    {
      before: {
        "data/promptfooconfig.yaml":
          "prompts: [file://p/*.txt]\ntests: [{ assert: [{ type: contains, value: a }] }]",
        "data/p/1.txt": "One?",
        "data/p/2.txt": "Two?",
      },
      change: { "data/p/2.txt": null },
      config: { tasks: "data/promptfooconfig.yaml" },
    },
    ["tasks data/p/2.txt"],
  ],
  [
    "better tasks that go, so that others are found",
    { before: { ...tasks, "skills/a/evals/evals.json": evals() }, change: { "skills/a/evals": null } },
    ["tasks skills/a/evals/evals.json"],
  ],
  [
    "a new suite that is found first",
    { before: tasks, change: { "skills/a/evals/evals.json": evals() } },
    ["tasks skills/a/evals/evals.json"],
  ],
  [
    "a link on the way to the tasks",
    {
      before: {
        "skills/a/tasks.jsonl": { link: "../../now.jsonl" },
        "now.jsonl": { link: "one.jsonl" },
        "one.jsonl": row("1"),
        "two.jsonl": row("2"),
      },
      change: { "now.jsonl": { link: "two.jsonl" } },
    },
    ["tasks now.jsonl"],
  ],
  [
    "a scorer and what it imports",
    {
      before: {
        "skills/a/tasks.jsonl": `${JSON.stringify({ id: "1", input: "Q?", checks: [{ kind: "custom", value: "./score.mjs#own" }] })}\n`,
      },
      change: { "score.mjs": "", "help.mjs": "" },
      loaded: ["score.mjs", "help.mjs"],
    },
    ["checks score.mjs", "code help.mjs"],
  ],
  [
    "tasks next to a skill that is one file at the top",
    {
      before: { "SKILL.md": "A", "tasks.jsonl": row("1") },
      change: { "SKILL.md": "B", "tasks.jsonl": row("2") },
      skill: "SKILL.md",
    },
    ["tasks tasks.jsonl"],
  ],
  [
    "the judge's calibration",
    { before: tasks, change: { "judged.jsonl": "" }, config: { calibration: "judged.jsonl" } },
    ["judge judged.jsonl"],
  ],
  [
    "nothing but the first tasks of a skill",
    { before: {}, change: { "skills/a/tasks.jsonl": row("1") } },
    ["tasks skills/a/tasks.jsonl"],
  ],
  [
    "a file that a pattern of the tasks finds",
    {
      before: {
        "data/promptfooconfig.yaml":
          "prompts: [file://p/*.txt]\ntests: [{ assert: [{ type: contains, value: a }] }]",
        "data/p/1.txt": "One?",
      },
      change: { "data/p/2.txt": "Two?" },
      config: { tasks: "data/promptfooconfig.yaml" },
    },
    ["tasks data/p/2.txt"],
  ],
  [
    "a nearer config that goes",
    {
      before: { ...tasks, "skills/a/whetstone.config.json": "{}" },
      change: { "skills/a/whetstone.config.json": null },
    },
    ["config skills/a/whetstone.config.json"],
  ],
];

test("a submodule with tasks that moves is seen, also where the branch tells git to ignore it", async () => {
  const [cwd, suite] = [await tempDir(), await tempDir()];
  makeRepository(suite, [{ "evals.json": evals() }]);
  makeRepository(cwd, [{ "skills/a/SKILL.md": "A" }]);
  const git = (folder: string, ...args: readonly string[]) =>
    execFileSync("git", ["-C", folder, "-c", "protocol.file.allow=always", ...person, ...args]);
  git(cwd, "submodule", "--quiet", "add", suite, "skills/a/evals");
  git(cwd, "commit", "--quiet", "-m", "suite");
  git(join(cwd, "skills/a/evals"), "commit", "--quiet", "--allow-empty", "-m", "moved");
  git(cwd, "config", "-f", ".gitmodules", "submodule.skills/a/evals.ignore", "all");
  git(cwd, "commit", "--quiet", "-a", "-m", "hidden");
  git(cwd, "update-index", "--cacheinfo", `160000,${headOf(join(cwd, "skills/a/evals"))},skills/a/evals`);
  git(cwd, "commit", "--quiet", "--allow-empty", "-m", "bump");
  expect(await touchedFiles(cwd, "HEAD~2")).toContain(join(realpathSync(cwd), "skills/a/evals"));
});

const person = ["-c", "user.name=a", "-c", "user.email=a@b"];
const headOf = (folder: string): string =>
  execFileSync("git", ["-C", folder, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();

test.each(cases)("a branch that changes %s is seen", async (_, given, list) => {
  expect(await changedOf(given)).toEqual(list);
});
