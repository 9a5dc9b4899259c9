import { readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { appendPrivately, writeFileAtomic } from "./atomic-file.ts";
import { openJournal } from "./journals/open-journal.ts";

test("a link that waits where the bytes go first leads them nowhere else, and what a dead process left is replaced", async () => {
  const dir = await tempDir({ "outside/bashrc": "mine\n", "project/x": "" });
  const report = join(dir, "project/report.html");
  symlinkSync("../outside/bashrc", `${report}.tmp`);
  await writeFileAtomic(report, "<html>");
  writeFileSync(`${report}.tmp`, "half");
  await writeFileAtomic(report, "<html>2");
  expect(readFileSync(report, "utf8")).toBe("<html>2");
  expect(readFileSync(join(dir, "outside/bashrc"), "utf8")).toBe("mine\n");
  expect(readdirSync(join(dir, "project")).toSorted()).toEqual(["report.html", "x"]);
});

test("nothing is written through a link of the project, wherever on the way it is", async () => {
  const dir = await tempDir({ "home/x": "", "project/.git/x": "" });
  symlinkSync("../home", join(dir, "project/.whetstone"));
  symlinkSync("../../home/log", join(dir, "project/.git/log"));
  const inside = join(dir, "project/.whetstone");
  const refused = `${inside} is a link, so nothing was written to`;
  await expect(writeFileAtomic(join(inside, "runs/a/report.html"), "x")).rejects.toThrow(refused);
  await expect(appendPrivately(join(inside, "sleep/nights.log"), "x")).rejects.toThrow(refused);
  await expect(appendPrivately(join(dir, "project/.git/log"), "x")).rejects.toThrow("ELOOP");
  await expect(openJournal({ journalDir: inside })).rejects.toThrow(refused);
  expect(readdirSync(join(dir, "home"))).toEqual(["x"]);
  await writeFileAtomic(join(dir, "home/named/report.html"), "x");
});
