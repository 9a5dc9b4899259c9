import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeFile } from "../core/files.ts";
import { singleFileSkill } from "../core/skill/skill.ts";
import { checkSkill, readSkill } from "./read-skill.ts";
import { tempDir } from "./temp-dir-for-test.ts";

test("a file is a skill of one", async () => {
  const dir = await tempDir({ "AGENTS.md": "Be kind.\n" });
  expect(await readSkill(join(dir, "AGENTS.md"))).toEqual({
    main: "AGENTS.md",
    files: { "AGENTS.md": "Be kind.\n" },
  });
});

test("a folder is its files with their bytes, without what is hidden, large, linked, installed or an answer", async () => {
  const dir = await tempDir({
    "SKILL.md": "main",
    "references/codes.md": "codes\r\n",
    "scripts/run.sh": "#!/bin/sh\n",
    "evals/evals.json": '[{"answers":["A-1"]}]',
    "data/tasks.jsonl": '{"answers":["A-2"]}',
    ".env": "KEY=1",
    ".git/config": "",
    "node_modules/x/index.js": "",
    "scripts/__pycache__/run.pyc": "",
    "whetstone.config.ts": "export default {}",
    "most.txt": "x".repeat(1024 * 1024),
    "big.txt": "x".repeat(1024 * 1024 + 1),
  });
  const image = Buffer.from([0x89, 0x50, 0x00, 0xff]);
  const latin = Buffer.from([0xe9, 0x20]);
  await writeFile(join(dir, "image.png"), image);
  await writeFile(join(dir, "latin1.txt"), latin);
  await chmod(join(dir, "scripts/run.sh"), 0o755);
  await mkdir(join(dir, "empty"));
  await symlink("/etc/hostname", join(dir, "link.md"));
  const leftOut: string[] = [];
  const skill = await readSkill(dir, [join(dir, "data/tasks.jsonl")], ({ message }) => leftOut.push(message));
  expect(skill.main).toBe("SKILL.md");
  expect(Object.keys(skill.files)).toEqual([
    "SKILL.md",
    "image.png",
    "latin1.txt",
    "most.txt",
    "references/codes.md",
    "scripts/run.sh",
  ]);
  expect(decodeFile(skill.files["image.png"]!)).toEqual(new Uint8Array(image));
  expect(decodeFile(skill.files["latin1.txt"]!)).toEqual(new Uint8Array(latin));
  expect(skill.files["references/codes.md"]).toBe("codes\r\n");
  expect(skill.executable).toEqual(["scripts/run.sh"]);
  expect(leftOut).toEqual(["big.txt is left out: it has 1.0 MB, and a file of a skill at most 1 MB."]);
});

test("a folder of more than 8 MB is refused with its largest files", async () => {
  const dir = await tempDir({ "SKILL.md": "main" });
  for (let at = 0; at < 9; at += 1)
    await writeFile(join(dir, `part-${at}.bin`), Buffer.alloc(1024 * 1024 - at));
  await expect(readSkill(dir)).rejects.toMatchObject({
    code: "skill-invalid",
    message: expect.stringMatching(/9\.0 MB in 10 files.*largest are part-0\.bin, part-1\.bin, part-2\.bin/),
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
  expect(await readSkill(join(dir, "SKILL.md"), [], ({ message }) => leftOut.push(message))).toEqual({
    main: "SKILL.md",
    files: { "SKILL.md": "main" },
  });
  expect(leftOut).toEqual(["Only SKILL.md is taken, without references, scripts beside it."]);
});

test("a skill that no agent would load is refused with every error; warnings come back", async () => {
  const skill = (frontmatter: string) => singleFileSkill(`---\n${frontmatter}\n---\n# Body\n`);
  expect(() => checkSkill(skill("name: A b\nversion: 1"), "/skills/ab")).toThrow(
    expect.objectContaining({
      code: "skill-invalid",
      message: 'The name "A b" in SKILL.md is not valid.',
      hint: expect.stringMatching(/has no description.*"version" in SKILL\.md is no key/),
    }),
  );
  const named = skill("name: ab\ndescription: Does it.");
  expect(checkSkill(named, "/skills/ab")).toEqual([]);
  expect(checkSkill(named, "/skills/ab/")).toEqual([]);
  expect(checkSkill(named, "/skills/cd")).toMatchObject([{ level: "warning" }]);
  expect(checkSkill(named, "/skills/cd/SKILL.md")).toEqual([]);
  expect(checkSkill(named, undefined)).toEqual([]);
});

test("what is no skill is refused with a reason", async () => {
  const dir = await tempDir({ "other/readme.md": "" });
  await writeFile(join(dir, "binary.md"), Buffer.from([0]));
  await expect(readSkill(join(dir, "none.md"))).rejects.toThrow(/There is no skill at .*none\.md/);
  await expect(readSkill(join(dir, "other"))).rejects.toThrow(/holds no SKILL\.md/);
  await expect(readSkill(join(dir, "binary.md"))).rejects.toThrow(/is not UTF-8 text/);
});
