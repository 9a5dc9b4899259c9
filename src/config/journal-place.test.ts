import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { exportFolder, journalPlace } from "./journal-place.ts";
import { sharedFolder } from "./state-folder.ts";

test("a journal is in the person's state, in a folder that is named, or in a database", async () => {
  const project = await tempDir();
  const journalDir = sharedFolder(project);
  expect(journalPlace(undefined, project)).toEqual({ journalDir });
  expect(exportFolder({ journalDir }, project)).toBe(join(project, ".whetstone"));
  expect(journalPlace("/elsewhere", project)).toEqual({ journalDir: "/elsewhere" });
  expect(exportFolder({ journalDir: "/elsewhere" }, project)).toBe("/elsewhere");
  for (const journalUrl of ["postgres://me@host/db", "postgresql://host/db", "Postgres://host/db"])
    expect(journalPlace(journalUrl, project)).toEqual({ journalDir, journalUrl });
});

test("a file isn't a journal", () => {
  expect(() => journalPlace(import.meta.filename, "/")).toThrow(
    expect.objectContaining({ code: "not-found" }),
  );
});

test("a state folder in the project is refused: files there could be anybody's", async () => {
  const project = await tempDir();
  vi.stubEnv("WHETSTONE_STATE", join(project, "state"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  expect(() => journalPlace(undefined, project)).toThrow(
    expect.objectContaining({ code: "config-invalid", hint: expect.stringContaining("WHETSTONE_STATE") }),
  );
  vi.stubEnv("WHETSTONE_STATE", "state");
  expect(() => journalPlace(undefined, project)).toThrow("isn't an absolute path");
});
