import { readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { writeFileAtomic } from "./atomic-file.ts";

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
