import { join } from "node:path";
import { expect, test } from "vitest";
import { allowNights } from "../../test/support/night-files.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { readConsent } from "./consent.ts";

const consentFor = async (...sources: readonly string[]) => {
  const project = await tempDir();
  const journalDir = join(project, "journal");
  allowNights(journalDir, { project, sources });
  return journalDir;
};

test("a consent that names an agent of an earlier version still holds for the others", async () => {
  const { sources } = readConsent(await consentFor("pi", "vscode-copilot", "codex"));
  expect(sources).toEqual(["pi", "codex"]);
});

test("a consent for no agent that can be read is refused", async () => {
  const journalDir = await consentFor("vscode-copilot");
  expect(() => readConsent(journalDir)).toThrow(expect.objectContaining({ code: "not-opted-in" }));
});
