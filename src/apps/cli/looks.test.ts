import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { capturedIo } from "../../../test/support/captured-io.ts";
import { readers } from "../../../test/support/hostile-folder.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import { commandKinds, KindCommand } from "./command-kinds.ts";
import { createProgram } from "./program.ts";

const looks = [...readers].filter(([words]) => commandKinds[words] === "looks");

test.each(looks)("%s leaves no file behind, not even of SQLite", async (_words, args) => {
  const dir = await tempDir({ "SKILL.md": "# Skill" });
  const journal = await openJournal({ journalDir: join(dir, ".whetstone") });
  await journal.close();
  const stamps = () =>
    readdirSync(dir, { recursive: true, encoding: "utf8" })
      .map((path) => `${path} ${statSync(join(dir, path)).mtimeMs}`)
      .toSorted();
  const before = stamps();
  const { io, text } = capturedIo(dir);
  const error = await createProgram(io, "0.0.0")
    .parseAsync(args, { from: "user" })
    .then(
      () => undefined,
      (caught: Error) => caught,
    );
  expect(`${text()}${error?.message ?? ""}`).not.toContain("only looks");
  expect(`${text()}${error?.message ?? ""}`).not.toBe("");
  expect(stamps()).toEqual(before);
});

test("a command that isn't in the list can only look", async () => {
  const dir = await tempDir();
  const program = new KindCommand("whetstone").exitOverride();
  program.command("new").action(async () => (await import("node:fs")).mkdirSync(join(dir, "made")));
  await expect(program.parseAsync(["new"], { from: "user" })).rejects.toThrow("only looks");
});
