import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { readSkill } from "../config/files/read-skill.ts";
import { importTasks } from "./importers/import-tasks.ts";
import { readSecretFile } from "./redaction/secret-files.ts";
import { readPlainText } from "./read-plain-file.ts";

test("a file is read; a pipe, a folder and a device are refused at once, by name", async () => {
  const dir = await tempDir({ "file.txt": "words" });
  const pipe = join(dir, "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(await readPlainText(join(dir, "file.txt"))).toBe("words");
  const refused = (path: string, kind: string) =>
    expect(readPlainText(path)).rejects.toMatchObject({
      code: "not-found",
      message: `${path} is ${kind}, not a file.`,
    });
  await refused(pipe, "a pipe");
  await refused(dir, "a folder");
  await refused("/dev/zero", "a device or a socket");
});

test("no pipe among evals, in a skill or beside secrets holds anybody up", async () => {
  const dir = await tempDir({ "evals/evals.json": "[]" });
  for (const name of ["tasks.jsonl", "SKILL.md", ".env"]) execFileSync("mkfifo", [join(dir, name)]);
  await expect(importTasks(join(dir, "tasks.jsonl"))).rejects.toMatchObject({ code: "not-found" });
  await expect(readSkill(join(dir, "SKILL.md"))).rejects.toMatchObject({ code: "not-found" });
  expect(await readSecretFile(join(dir, ".env"))).toEqual([]);
});
