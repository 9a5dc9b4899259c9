import { expect, test } from "vitest";
import { expandConfig } from "../../config/load.ts";
import { journalFolder, journalPlace } from "./open-journal.ts";

test("a journal is a folder, or a database beside the usual folder", () => {
  expect(journalPlace(undefined, "/project")).toEqual({ journalDir: "/project/.whetstone" });
  expect(journalPlace("/elsewhere", "/project")).toEqual({ journalDir: "/elsewhere" });
  for (const journalUrl of ["postgres://me@host/db", "postgresql://host/db", "Postgres://host/db"])
    expect(journalPlace(journalUrl, "/project")).toEqual({ journalDir: "/project/.whetstone", journalUrl });
});

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
