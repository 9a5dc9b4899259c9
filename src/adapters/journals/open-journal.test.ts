import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { expandConfig } from "../../config/load.ts";
import { journalFolder, openJournal } from "./open-journal.ts";

test("a config's folder is meant from where it is written, its address stays as it is", async () => {
  expect((await expandConfig({ journal: "kept" }, "/project", "It")).journal).toBe("/project/kept");
  const address = "postgres://me@host/db?sslmode=require";
  expect((await expandConfig({ journal: address }, "/project", "It")).journal).toBe(address);
});

test("what works on files refuses a database, with the way out", () => {
  expect(journalFolder({ journalDir: "/x" })).toBe("/x");
  expect(() => journalFolder({ journalDir: "/x", journalUrl: "postgres://host/db" })).toThrow(
    expect.objectContaining({ code: "usage", hint: expect.stringContaining("pg_dump") }),
  );
});

test("a folder that cannot be is refused at once, with the way out", async () => {
  const dir = await tempDir({ "notes.md": "x" });
  const refused = (what: string) => ({
    code: "journal-write",
    message: expect.stringContaining(`: ${what}`) as string,
    hint: "Name a folder you can write to with --journal <folder>.",
  });
  const open = (journalDir: string) => openJournal({ journalDir });
  await expect(open(join(dir, "notes.md"))).rejects.toMatchObject(
    refused(`${join(dir, "notes.md")} is a file.`),
  );
  await expect(open(join(dir, "notes.md/inner"))).rejects.toMatchObject(
    refused(`${join(dir, "notes.md")} is a file.`),
  );
  // Node's own way of making folders never ends there
  if (process.platform === "linux")
    await expect(open("/proc/nope/journal")).rejects.toMatchObject(refused(""));
});
