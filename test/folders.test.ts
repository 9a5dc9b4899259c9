import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProgram } from "../src/apps/cli/program.ts";
import { loadConfig } from "../src/config/load.ts";
import { resolveConfig } from "../src/config/resolve/resolve.ts";
import { tempDir } from "./support/temp-dir.ts";
import { hashText } from "../src/core/canonical.ts";
import type { Task } from "../src/core/tasks/task.ts";
import { type ScriptedServer, startScriptedServer } from "../src/testing/index.ts";
import { capturedIo } from "./support/captured-io.ts";
import { learnableWorld } from "./support/learnable-world.ts";

const world = learnableWorld(3);

/** A second answer that no other task has, so that it is seen wherever it goes. */
const stampOf = (index: number): string => `stamp${index}x${(index + 11) * 7919}`;
const tasks: readonly Task[] = world
  .tasks(20)
  .map((task, index) => ({ ...task, answers: [...(task.answers ?? []), stampOf(index)] }));

const lines = tasks.map((task) => JSON.stringify(task)).join("\n");
const table = [
  "question,answer",
  ...tasks.map(({ input, answers }) => `"${input.replaceAll('"', '""')}",${answers?.[1]}`),
].join("\n");
const pairs = tasks.map(({ input, answers }) => `${input}\n\nAnswer: ${answers?.[0]}`).join("\n\n");
const stamps = tasks.map((_, index) => stampOf(index)).join("\n");

/** Something that only the file at this path says. */
const canaryOf = (path: string): string => `canary-${hashText(path).slice(0, 12)}`;
const skillWith = (text = ""): string => `${world.seedSkill(2)}\n${text}\n`;

interface Shape {
  /** Path → text; every text but tasks gets a line that no other file has. */
  readonly files: Readonly<Record<string, string>>;
  /** Link → where it leads. */
  readonly links?: Readonly<Record<string, string>>;
  /** Where the person stands. @default "." */
  readonly cwd?: string;
  /** What `init` writes down. @default "./SKILL.md" */
  readonly skill?: string;
  /** The files that the skill is, from the project; what a training is refused with, if it is. @default ["SKILL.md"] */
  readonly is?: readonly string[] | RegExp;
}

const plain = { "SKILL.md": skillWith(), "tasks.jsonl": lines };
const clutter = {
  "old-tasks.jsonl": lines,
  "answers.txt": pairs,
  "README.md": "About.",
  "notes.md": "Notes.",
  "docs/answers.csv": table,
  "data.json": '{"a":1}',
  "src/a.py": "print(1)",
  "src/b.ts": "export {};",
};
const one = (text = "") => ({
  "skills/desk/SKILL.md": `---\nname: desk\ndescription: Sorts parcels.\n---\n${skillWith(text)}`,
});
const evals = { "skills/desk/evals/evals.json": `[${tasks.map((task) => JSON.stringify(task)).join(",")}]` };

const shapes: Readonly<Record<string, Shape>> = {
  "README's own layout": { files: plain },
  "a project full of answers": { files: { ...plain, ...clutter } },
  "the same at a git root": { files: { ...plain, ...clutter, ".git/HEAD": "ref" } },
  "a package": {
    files: { ...plain, "package.json": "{}", "src/index.ts": "", "node_modules/x/index.js": "" },
  },
  "a trained skill beside": { files: { ...plain, "B.md": world.seedSkill(6) } },
  "reports beside": {
    files: { ...plain, "report.md": "# Whetstone: train", "report.html": "<html>", "out/summary.json": "{}" },
  },
  "secrets beside": { files: { ...plain, ".env": "KEY=1", ".aws/credentials": "x", id_rsa: "y" } },
  "tasks that are divided": {
    files: {
      "SKILL.md": skillWith(),
      "tasks/train.json": JSON.stringify(tasks.slice(0, 8)),
      "tasks/val.json": JSON.stringify(tasks.slice(8, 16)),
      "tasks/test.json": JSON.stringify(tasks.slice(16)),
    },
  },
  references: {
    files: {
      ...plain,
      ...clutter,
      "references/codes.md": "",
      "references/more/table.csv": "shelf,size\nA,1",
    },
    skill: ".",
    is: ["SKILL.md", "references/codes.md", "references/more/table.csv"],
  },
  "scripts and assets": {
    files: { ...plain, "scripts/run.sh": "", "assets/label.txt": "", "tools/other.sh": "" },
    skill: ".",
    is: ["SKILL.md", "scripts/run.sh", "assets/label.txt"],
  },
  "references at a git root": { files: { ...plain, "references/codes.md": "", ".git/HEAD": "ref" } },
  "scripts of a package": { files: { ...plain, "scripts/build.js": "", "package.json": "{}" } },
  "scripts of a Python project": { files: { ...plain, "scripts/build.py": "", "pyproject.toml": "" } },
  "a linked file": {
    files: { ...plain, ...clutter, "SKILL.md": skillWith("See [notes](notes.md).") },
    skill: ".",
    is: ["SKILL.md", "notes.md"],
  },
  "links in linked files": {
    files: {
      ...plain,
      "SKILL.md": skillWith("See [a](docs/a.md)."),
      "docs/a.md": "See [b](b.md).",
      "docs/b.md": "Back to [a](a.md) and [SKILL](../SKILL.md).",
      "docs/c.md": "See [a](a.md).",
    },
    skill: ".",
    is: ["SKILL.md", "docs/a.md", "docs/b.md"],
  },
  "a path in code": {
    files: {
      ...plain,
      "SKILL.md": skillWith("Run `tools/run.py`."),
      "references/a.md": "",
      "tools/run.py": "",
      "tools/x.py": "",
    },
    skill: ".",
    is: ["SKILL.md", "references/a.md", "tools/run.py"],
  },
  "a path in code alone": {
    files: { ...plain, "SKILL.md": skillWith("Look into `src/a.py`."), "src/a.py": "" },
  },
  "links that lead out": {
    files: {
      ...plain,
      "SKILL.md": skillWith("See [a](../up.md), [b](/etc/hostname), [c](in.md)."),
      "in.md": "",
      "../up.md": "",
    },
    skill: ".",
    is: ["SKILL.md", "in.md"],
  },
  "links of the file system": {
    files: {
      ...plain,
      "SKILL.md": skillWith("See [a](a.md), [in](in.md), [d](far/up.md)."),
      "in.md": "",
      "../away/up.md": "",
    },
    links: { "a.md": "../away/up.md", "references/b.md": "../../away/up.md", far: "../away" },
    skill: ".",
    is: ["SKILL.md", "in.md"],
  },
  "linked tasks": {
    files: {
      ...plain,
      ...clutter,
      "SKILL.md": skillWith("See [old](old-tasks.jsonl), [now](tasks.jsonl), [n](notes.md)."),
    },
    skill: ".",
    is: ["SKILL.md", "notes.md"],
  },
  "tasks among the references": {
    files: { ...plain, "references/codes.md": "", "references/faq.csv": table, "assets/rows.txt": lines },
    skill: ".",
    is: ["SKILL.md", "references/codes.md"],
  },
  "answers among the references": {
    files: { ...plain, "references/faq.md": pairs },
    skill: ".",
    is: /skill's references\/faq\.md contains an answer from the (?:val|test) split/,
  },
  "a list of answers among the assets": {
    files: { ...plain, "assets/answers.txt": stamps },
    skill: ".",
    is: /skill's assets\/answers\.txt contains an answer from the (?:val|test) split/,
  },
  "a linked file with answers": {
    files: { ...plain, ...clutter, "SKILL.md": skillWith("See [answers](answers.txt).") },
    skill: ".",
    is: /skill's answers\.txt contains an answer from the (?:val|test) split/,
  },
  "answers in the skill itself": {
    files: { ...plain, "SKILL.md": skillWith(pairs) },
    is: /skill's SKILL\.md contains an answer from the (?:val|test) split/,
  },
  "a folder of skills": {
    files: { ...one(), ...evals, ...clutter },
    skill: "./skills/desk",
    is: ["skills/desk/SKILL.md"],
  },
  "a skill with everything": {
    files: {
      ...one("See [guide](guide.md)."),
      ...evals,
      "skills/desk/guide.md": "",
      "skills/desk/references/codes.md": "",
      "skills/desk/README.md": "",
      "skills/desk/CHANGELOG.md": "",
      "skills/desk/LICENSE.txt": "",
      "skills/other/SKILL.md": "",
      "AGENTS.md": "",
      "package.json": "{}",
      ".git/HEAD": "ref",
    },
    skill: "./skills/desk",
    is: ["skills/desk/SKILL.md", "skills/desk/guide.md", "skills/desk/references/codes.md"],
  },
  "an agent's skills": {
    files: {
      ".claude/skills/desk/SKILL.md": skillWith(),
      ".claude/skills/desk/scripts/a.sh": "",
      ".claude/settings.json": '{"a":1}',
      "tasks.jsonl": lines,
      "CLAUDE.md": "House.",
    },
    skill: "./.claude/skills/desk",
    is: [".claude/skills/desk/SKILL.md", ".claude/skills/desk/scripts/a.sh"],
  },
  "a monorepo": {
    files: {
      ...one(),
      ...evals,
      "package.json": "{}",
      "packages/a/package.json": "{}",
      "packages/a/SKILL.md": "",
      "packages/b/references/x.md": "",
      "references/y.md": "",
    },
    skill: "./skills/desk",
    is: ["skills/desk/SKILL.md"],
  },
  "a skill that is a package": {
    files: { ...one("See [x](x.md)."), ...evals, "skills/desk/package.json": "{}", "skills/desk/x.md": "" },
    skill: "./skills/desk/SKILL.md",
    is: ["skills/desk/SKILL.md"],
  },
  "standing inside of a skill": {
    files: { ...one(), ...evals, "skills/desk/notes.md": "", "skills/x/SKILL.md": "" },
    cwd: "skills/desk",
    skill: ".",
    is: ["skills/desk/SKILL.md"],
  },
  "AGENTS.md": {
    files: {
      "AGENTS.md": skillWith("See [notes](notes.md)."),
      "tasks.jsonl": lines,
      "notes.md": "",
      "references/a.md": "",
    },
    skill: "./AGENTS.md",
    is: ["AGENTS.md"],
  },
  "CLAUDE.md at a git root": {
    files: { "CLAUDE.md": skillWith(), "tasks.jsonl": lines, ...clutter, ".git/HEAD": "ref" },
    skill: "./CLAUDE.md",
    is: ["CLAUDE.md"],
  },
  "an editor's rules": {
    files: { ".cursor/rules/desk.mdc": skillWith(), "tasks.jsonl": lines, "src/a.py": "" },
    skill: "./.cursor/rules/desk.mdc",
    is: [".cursor/rules/desk.mdc"],
  },
  "a prompt": {
    files: { "prompt.md": skillWith(), "tasks.jsonl": lines, "README.md": "" },
    skill: "./prompt.md",
    is: ["prompt.md"],
  },
  "capitals in names": {
    files: {
      ...plain,
      "SKILL.md": skillWith("See [n](NOTES.MD)."),
      "NOTES.MD": "",
      "README.MD": "",
      "References/A.md": "",
    },
    skill: ".",
    is: ["SKILL.md", "NOTES.MD", "References/A.md"],
  },
};

let server: ScriptedServer;
const home = process.cwd();
beforeAll(async () => {
  server = await startScriptedServer({ seed: 3, world });
});
afterAll(async () => {
  process.chdir(home);
  await server.close();
});

/** The command as a person types it, from a folder; its calls alone are in `calls`. */
async function whetstone(cwd: string, ...args: readonly string[]) {
  const { io, text } = capturedIo(cwd);
  const before = server.calls.length;
  process.chdir(cwd);
  const error = await createProgram(io, "0")
    .parseAsync([...args], { from: "user" })
    .then(
      () => undefined,
      (thrown: unknown) => thrown as Error & { readonly hint?: string },
    );
  return { out: stripVTControlCharacters(text()), error, calls: server.calls.slice(before) };
}

const models = () => [
  "--target",
  "office/target",
  "--optimizer",
  "office/optimizer",
  "--base-url",
  `${server.url}/v1`,
  "--price",
  "office/target=0.1,0.1",
  "--price",
  "office/optimizer=0.1,0.1",
];
/** One step; with WHETSTONE_LONG=1 the sealed test and the baselines too. */
const short = ["--epochs", "1", "--batch-size", "8", "--trials", "1"].concat(
  process.env["WHETSTONE_LONG"] === "1" ? [] : ["--no-baselines", "--no-eval-test"],
);

async function lay({ files, links = {} }: Pick<Shape, "files" | "links">): Promise<string> {
  const project = join(await tempDir(), "desk");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    const isData = /^\s*[[{]|^question,/.test(text);
    await writeFile(join(project, path), isData ? text : `${text}\n${canaryOf(path)}\n`);
  }
  for (const [path, to] of Object.entries(links)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await symlink(to, join(project, path));
  }
  return project;
}

test("there are thirty shapes and more", () => {
  expect(Object.keys(shapes).length).toBeGreaterThanOrEqual(30);
});

test.each(Object.entries(shapes))(
  "%s: no prompt holds a file that is not of the skill, nor an answer",
  async (_, shape) => {
    const { skill = "./SKILL.md", is = ["SKILL.md"] } = shape;
    const project = await lay(shape);
    const cwd = join(project, shape.cwd ?? ".");
    expect((await whetstone(cwd, "init")).error).toBeUndefined();
    expect(await readFile(join(cwd, "whetstone.config.mts"), "utf8")).toContain(`skill: "${skill}"`);

    const { out, error, calls } = await whetstone(cwd, "train", ...models(), ...short);
    if (is instanceof RegExp) {
      expect(error?.message).toMatch(is);
      expect(error?.hint).toMatch(/--may-hold-answers \S+\.$/);
      expect(calls).toEqual([]);
      return;
    }
    expect(error).toBeUndefined();
    const prompts = calls.map(({ request }) => ({
      model: request.model,
      system: request.system,
      text: [request.system, ...request.messages.map(({ content }) => content)].join("\n"),
    }));
    const ofTarget = prompts.filter(({ model }) => model === "target");
    const ofOptimizer = prompts.filter(({ model }) => model === "optimizer");
    expect(ofOptimizer.length).toBeGreaterThan(1);

    const foreign = Object.keys(shape.files).filter((path) => !is.includes(path));
    for (const path of foreign)
      expect(prompts.filter(({ text }) => text.includes(canaryOf(path)))).toEqual([]);
    const texts = is.filter((path) => !path.endsWith(".csv"));
    const withSkill = ofTarget.filter(({ system }) => system.includes("Shelf codes"));
    expect(withSkill.length).toBeGreaterThan(10);
    for (const path of texts)
      expect(withSkill.filter(({ system }) => !system.includes(canaryOf(path)))).toEqual([]);

    const { config } = await loadConfig(cwd);
    const { splits } = await resolveConfig(
      { ...config, target: "office/target", optimizer: "office/optimizer", baseURL: `${server.url}/v1` },
      { cwd, env: {}, withoutCalls: true },
    );
    const sealed = [...splits.val, ...splits.test];
    expect(sealed.length).toBeGreaterThan(10);
    for (const { input, answers = [] } of sealed) {
      expect(prompts.filter(({ text }) => text.includes(answers[1] ?? ""))).toEqual([]);
      expect(ofTarget.filter(({ system }) => system.includes(input))).toEqual([]);
      expect(ofOptimizer.filter(({ text }) => text.includes(input))).toEqual([]);
    }

    const others = is.length === 1 ? "" : ` and ${is.length === 2 ? "1 file" : `${is.length - 1} files`}`;
    const [, said] =
      new RegExp(`the skill: \\S+${others}, ([\\d,]+) characters in every prompt`).exec(out) ?? [];
    const original = withSkill[0]?.system.replace(/\n\nAnswer with the shelf code alone\.$/, "") ?? "";
    expect(said).toBe(original.length.toLocaleString("en-US"));
  },
);

test("a report, an import or anything else that is written beside a skill changes no run", async () => {
  const said = skillWith("Write what you find to `report.html`.");
  for (const files of [plain, { ...plain, "SKILL.md": said, "references/codes.md": "" }]) {
    const cwd = await lay({ files });
    await whetstone(cwd, "init");
    const command = ["train", ...models(), ...short];
    const first = await whetstone(cwd, ...command);
    expect(first.error).toBeUndefined();
    expect(
      (await whetstone(cwd, "report", "--format", "json", "--out", "report.json")).error,
    ).toBeUndefined();
    // as the web app writes it, which a clone need not have built
    await writeFile(join(cwd, "report.html"), "<!doctype html><html><head><title>Whetstone</title>");
    expect((await whetstone(cwd, "import", "tasks.jsonl", "--out", "imported.jsonl")).error).toBeUndefined();
    await writeFile(join(cwd, "notes.md"), "A note.\n");
    const again = await whetstone(cwd, ...command);
    expect(again.error).toBeUndefined();
    expect(again.calls).toEqual([]);
    expect(again.out).toContain("This run had already finished");
    const run = (out: string) => /^train (\w+)/m.exec(out)?.[1];
    expect(run(again.out)).toBe(run(first.out));
  }
});

test("a better skill that lies beside does not make a gutted one better than main", async () => {
  for (const root of [".", "skills/desk"]) {
    const at = (path: string) => join(root, path);
    const cwd = await lay({ files: { [at("SKILL.md")]: world.seedSkill(2), [at("tasks.jsonl")]: lines } });
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd });
    git("init", "-qb", "main");
    git("add", ".");
    git("commit", "-qm", "first");
    await writeFile(join(cwd, at("B.md")), world.seedSkill(6));
    await whetstone(cwd, "init");
    const check = ["eval", "--baseline", "main", "--fail-on", "worse", "--on", "val", "--trials", "3"];
    const target = models().filter((_, at) => ![2, 3].includes(at));
    const same = await whetstone(cwd, ...check, ...target);
    expect(same.error).toBeUndefined();
    expect(same.out).toContain("identical to main");
    await writeFile(join(cwd, at("SKILL.md")), "# Parcel desk\n");
    const gutted = await whetstone(cwd, ...check, ...target);
    expect(gutted.out).not.toMatch(/^better/m);
    expect(gutted.out).toMatch(/^(?:worse|lower on these tasks|not proven|no difference)/m);
  }
});
