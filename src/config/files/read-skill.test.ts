import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeFile } from "../../core/files.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { checkSkill, readSkill, refuseProjectFolder } from "./read-skill.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";

test("a file is a skill of one", async () => {
  const dir = await tempDir({ "AGENTS.md": "Be kind.\n" });
  expect(await readSkill(join(dir, "AGENTS.md"))).toEqual({
    main: "AGENTS.md",
    files: { "AGENTS.md": "Be kind.\n" },
  });
});

const bigFile = "x".repeat(1024 * 1024 + 1);

test("a folder is SKILL.md, three folders and what they link to, with their bytes; nothing else that lies there", async () => {
  const dir = await tempDir({
    "SKILL.md":
      "See [notes](notes.md), `forms.md`, [up](../up.md), [gone](gone.md), [evals](evals/evals.json), [b](big.md).",
    "notes.md": "More in [deep](docs/deep.md), [env](.env) and [main](SKILL.md).",
    "docs/deep.md": "From here: [beside](beside.md), from the top: `tools/run.py`, a [link](../link.md).",
    "docs/beside.md": "beside",
    "docs/other.md": "other",
    "tools/run.py": "print()",
    "forms.md": "forms",
    "README.md": "readme",
    "answers.txt": "A-1",
    "B.md": "a better skill",
    "report.md": "# Whetstone",
    "references/codes.md": "codes\r\n",
    "Scripts/run.sh": "#!/bin/sh\n",
    "evals/evals.json": '[{"answers":["A-1"]}]',
    "assets/tasks.jsonl": '{"answers":["A-2"]}',
    ".env": "KEY=1",
    "node_modules/x/index.js": "",
    "Scripts/__pycache__/run.pyc": "",
    "Scripts/node_modules/y.js": "",
    "references/.hidden.md": "",
    "whetstone.config.ts": "export default {}",
    "references/most.txt": "x".repeat(1024 * 1024),
    "big.md": bigFile,
  });
  const image = Buffer.from([0x89, 0x50, 0x00, 0xff]);
  const latin = Buffer.from([0xe9, 0x20]);
  await writeFile(join(dir, "assets/image.png"), image);
  await writeFile(join(dir, "assets/latin1.txt"), latin);
  await chmod(join(dir, "Scripts/run.sh"), 0o755);
  await mkdir(join(dir, "references/empty"));
  await symlink("/etc/hostname", join(dir, "link.md"));
  await symlink(join(dir, "README.md"), join(dir, "references/inner.md"));
  const leftOut: string[] = [];
  const skill = await readSkill(dir, {
    except: [join(dir, "assets/tasks.jsonl")],
    onLeftOut: ({ message }) => leftOut.push(message),
  });
  expect(skill.main).toBe("SKILL.md");
  expect(Object.keys(skill.files)).toEqual([
    "SKILL.md",
    "Scripts/run.sh",
    "assets/image.png",
    "assets/latin1.txt",
    "docs/beside.md",
    "docs/deep.md",
    "forms.md",
    "notes.md",
    "references/codes.md",
    "references/most.txt",
    "tools/run.py",
  ]);
  expect(decodeFile(skill.files["assets/image.png"]!)).toEqual(new Uint8Array(image));
  expect(decodeFile(skill.files["assets/latin1.txt"]!)).toEqual(new Uint8Array(latin));
  expect(skill.files["references/codes.md"]).toBe("codes\r\n");
  expect(skill.executable).toEqual(["Scripts/run.sh"]);
  expect(leftOut).toEqual(["big.md is left out: it is 1.0 MB, and a skill file can be at most 1 MB."]);
});

test("more of the folder belongs to the skill when it is named", async () => {
  const dir = await tempDir({
    "SKILL.md": "main",
    "notes.md": "See [far](far.md).",
    "far.md": "far",
    "examples/a/one.md": "one",
    "examples/rows.csv": "question,answer\nWhere?,Here\n",
    "other.md": "other",
    "rows.csv": "question,answer\nWhere?,Here\n",
    ".env": "KEY=1",
  });
  const leftOut: string[] = [];
  const onLeftOut = ({ message }: { message: string }) => leftOut.push(message);
  const skill = await readSkill(dir, { more: ["examples/", "./notes.md"], onLeftOut });
  expect(Object.keys(skill.files)).toEqual(["SKILL.md", "examples/a/one.md", "far.md", "notes.md"]);
  expect(leftOut).toEqual([
    "examples/rows.csv is left out: it contains a task, and answers don't belong in a skill.",
  ]);
  for (const name of ["gone.md", "../up.md", ".env", "/etc/hostname", "."])
    await expect(readSkill(dir, { more: [name] })).rejects.toMatchObject({ code: "config-invalid" });
  await expect(readSkill(dir, { more: ["rows.csv"] })).rejects.toMatchObject({ code: "skill-invalid" });
  await expect(readSkill(join(dir, "SKILL.md"), { more: ["notes.md"] })).rejects.toMatchObject({
    code: "config-invalid",
  });
});

test.each<[string, string, string, boolean]>([
  ["our own", "old.jsonl", '{"id":"1","input":"Where?","answers":["Here"]}\n', true],
  ["our own under another name", "old.txt", '{"id":"1","input":"Where?","answers":["Here"]}\n', true],
  ["evals.json", "e.json", '{"evals":[{"id":1,"prompt":"Where?","expectations":["Says here."]}]}', true],
  ["a trigger set", "t.json", '[{"query":"Where?","should_trigger":true}]', true],
  [
    "promptfoo",
    "p.yaml",
    "tests:\n  - vars: { question: Where? }\n    assert: [{ type: equals, value: Here }]\nprompts: ['{{question}}']\n",
    true,
  ],
  ["CSV", "t.csv", "question,answer\nWhere?,Here\n", true],
  ["OpenAI evals", "s.jsonl", '{"input":[{"role":"user","content":"Where?"}],"ideal":"Here"}\n', true],
  ["a report of ours", "report.html", "<!doctype html><html><head><title>Whetstone</title>", true],
  ["a table that answers nothing", "shelves.csv", "shelf,size\nA1,20\n", false],
  ["a schema", "schema.json", '{"type":"object","properties":{"input":{"type":"string"}}}', false],
  ["settings", "settings.yaml", "target: x\nprompt: y\n", false],
  ["prose", "prose.md", "question,answer\nWhere?,Here\n", false],
])("%s in a folder of the skill: is it left out?", async (_, name, text, isLeftOut) => {
  const dir = await tempDir({ "SKILL.md": "main", [`references/${name}`]: text });
  const leftOut: string[] = [];
  const skill = await readSkill(dir, { onLeftOut: ({ message }) => leftOut.push(message) });
  expect(Object.hasOwn(skill.files, `references/${name}`)).toBe(!isLeftOut);
  expect(leftOut).toHaveLength(isLeftOut ? 1 : 0);
});

test("a project around a SKILL.md is no skill, and neither is a folder with the journal", async () => {
  for (const mark of [".git", "package.json"]) {
    const dir = await tempDir({ "SKILL.md": "main", [mark]: "" });
    expect(() => refuseProjectFolder(dir)).toThrow(
      expect.objectContaining({
        code: "skill-invalid",
        hint: expect.stringContaining(join(dir, "SKILL.md")),
      }),
    );
  }
  const dir = await tempDir({ "SKILL.md": "main" });
  refuseProjectFolder(dir, join(dir, "../.whetstone"));
  expect(() => refuseProjectFolder(dir, join(dir, "state/.whetstone"))).toThrow(/the journal is inside it/);
});

test("a folder of more than 8 MB is refused with its largest files", async () => {
  const dir = await tempDir({ "SKILL.md": "main", "assets/x": "" });
  for (let at = 0; at < 9; at += 1)
    await writeFile(join(dir, `assets/part-${at}.bin`), Buffer.alloc(1024 * 1024 - at));
  await expect(readSkill(dir)).rejects.toMatchObject({
    code: "skill-invalid",
    message: expect.stringMatching(
      /9\.0 MB in 11 files.*largest are assets\/part-0\.bin, assets\/part-1\.bin/,
    ),
  });
});

test("whoever names SKILL.md alone hears what stays beside it", async () => {
  const dir = await tempDir({
    "SKILL.md": "main",
    "references/a.md": "",
    "scripts/b.sh": "",
    "other/c.md": "",
  });
  const leftOut: string[] = [];
  expect(
    await readSkill(join(dir, "SKILL.md"), { onLeftOut: ({ message }) => leftOut.push(message) }),
  ).toEqual({
    main: "SKILL.md",
    files: { "SKILL.md": "main" },
  });
  expect(leftOut).toEqual(["Only SKILL.md is used, without references, scripts next to it."]);
});

test("a skill that no agent would load is refused with every error; warnings come back", async () => {
  const skill = (frontmatter: string) => singleFileSkill(`---\n${frontmatter}\n---\n# Body\n`);
  expect(() => checkSkill(skill("name: A b\nversion: 1"), "/skills/ab")).toThrow(
    expect.objectContaining({
      code: "skill-invalid",
      message: 'The name "A b" in SKILL.md isn\'t valid.',
      hint: expect.stringMatching(/has no description.*"version" in SKILL\.md isn't a skill key/),
    }),
  );
  const named = skill("name: ab\ndescription: Does it.");
  expect(checkSkill(named, "/skills/ab")).toEqual([]);
  expect(checkSkill(named, "/skills/ab/")).toEqual([]);
  expect(checkSkill(named, "/skills/cd")).toMatchObject([{ level: "advice" }]);
  expect(checkSkill(named, "/skills/cd/SKILL.md")).toEqual([]);
  expect(checkSkill(named, undefined)).toEqual([]);
  expect(checkSkill(singleFileSkill(" \n"), "/skills/ab/SKILL.md")).toMatchObject([
    { level: "warning", message: "SKILL.md is empty, so training starts from nothing." },
  ]);
});

test("what is no skill is refused with a reason", async () => {
  const dir = await tempDir({ "other/readme.md": "" });
  await writeFile(join(dir, "binary.md"), Buffer.from([0]));
  await expect(readSkill(join(dir, "none.md"))).rejects.toThrow(/No skill found at .*none\.md/);
  await expect(readSkill(join(dir, "other"))).rejects.toThrow(/doesn't contain a SKILL\.md/);
  await expect(readSkill(join(dir, "binary.md"))).rejects.toThrow(/isn't UTF-8 text/);
});

test("a skill's file that is a link out of the project isn't read, nor a linked folder; one within it is", async () => {
  const dir = await tempDir({
    "outside/SKILL.md": "The key is 77.",
    "project/.git/x": "",
    "project/AGENTS.md": "Be brief.",
    "project/skills/a/notes.md": "Notes.",
  });
  const at = (path: string) => join(dir, "project", path);
  await symlink(join(dir, "outside/SKILL.md"), at("skills/a/SKILL.md"));
  await symlink("AGENTS.md", at("CLAUDE.md"));
  await symlink(join(dir, "outside"), at("skills/linked"));
  await expect(readSkill(at("skills/a"))).rejects.toThrow(`${at("skills/a/SKILL.md")} isn't a file`);
  await expect(readSkill(at("skills/a/SKILL.md"))).rejects.toThrow(
    `is a link to ${join(dir, "outside/SKILL.md")}, outside ${join(dir, "project")}.`,
  );
  expect((await readSkill(at("CLAUDE.md"))).files).toEqual({ "CLAUDE.md": "Be brief." });
  await expect(readSkill(at("skills/linked"))).rejects.toMatchObject({
    hint: `If you trust it, name ${join(dir, "outside")} instead of ${at("skills/linked")}.`,
  });
  expect((await readSkill(join(dir, "outside"))).files).toEqual({ "SKILL.md": "The key is 77." });
});

test("a file of tasks in place of the skill is told so", async () => {
  const folder = await tempDir({ "tasks.jsonl": "{}\n" });
  await expect(readSkill(join(folder, "tasks.jsonl"))).rejects.toMatchObject({
    code: "skill-invalid",
    message: expect.stringContaining("is a file of tasks, not a skill"),
    hint: expect.stringContaining("--tasks "),
  });
});
