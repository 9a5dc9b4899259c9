import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSkill } from "./read-skill.ts";
import { tempDir } from "./temp-dir-for-test.ts";

test("a file is a skill of one", async () => {
  const dir = await tempDir({ "AGENTS.md": "Be kind.\n" });
  expect(await readSkill(join(dir, "AGENTS.md"))).toEqual({
    main: "AGENTS.md",
    files: { "AGENTS.md": "Be kind.\n" },
  });
});

test("a folder is its text files, without what is hidden, large, binary, linked, installed or an answer", async () => {
  const dir = await tempDir({
    "SKILL.md": "main",
    "references/codes.md": "codes",
    "scripts/run.sh": "#!/bin/sh\n",
    "evals/evals.json": '[{"answers":["A-1"]}]',
    "data/tasks.jsonl": '{"answers":["A-2"]}',
    ".env": "KEY=1",
    ".git/config": "",
    "node_modules/x/index.js": "",
    "whetstone.config.ts": "export default {}",
    "big.txt": "x".repeat(256 * 1024 + 1),
  });
  await writeFile(join(dir, "image.png"), Buffer.from([0x89, 0x50, 0x00, 0xff]));
  await writeFile(join(dir, "latin1.txt"), Buffer.from([0xe9, 0x20]));
  await mkdir(join(dir, "empty"));
  await symlink("/etc/hostname", join(dir, "link.md"));
  const skill = await readSkill(dir, [join(dir, "data/tasks.jsonl")]);
  expect(skill.main).toBe("SKILL.md");
  expect(Object.keys(skill.files)).toEqual(["SKILL.md", "references/codes.md", "scripts/run.sh"]);
});

test("what is no skill is refused with a reason", async () => {
  const dir = await tempDir({ "other/readme.md": "" });
  await writeFile(join(dir, "binary.md"), Buffer.from([0]));
  await expect(readSkill(join(dir, "none.md"))).rejects.toThrow(/There is no skill at .*none\.md/);
  await expect(readSkill(join(dir, "other"))).rejects.toThrow(/holds no SKILL\.md/);
  await expect(readSkill(join(dir, "binary.md"))).rejects.toThrow(/is not UTF-8 text/);
});
