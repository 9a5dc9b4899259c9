import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn, makeRepository } from "../../../test/support/repository.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { refuseTrackedJournal } from "./refuse-tracked-journal.ts";

test("a journal folder that git tracks is refused by any path, until a commit takes it out", async () => {
  const cwd = await tempDir();
  makeRepository(cwd, [
    {
      "notes/x/journal.db": "",
      linked: { link: "notes" },
      ".whetstone": { link: "notes/x" },
      ".gitignore": "/own\n",
    },
  ]);
  const git = gitIn(cwd);
  for (const path of [".whetstone", "notes/x", "linked/x"])
    await expect(refuseTrackedJournal(join(cwd, path))).rejects.toMatchObject({
      message: expect.stringContaining(`Git tracks the journal folder ${join(cwd, path)}.`),
      hint: expect.stringContaining(`git rm -r --cached ${join(cwd, path)}`),
    });
  git("rm", "-r", "--quiet", "--cached", "notes");
  await expect(refuseTrackedJournal(join(cwd, "notes/x"))).rejects.toThrow("Git tracks");
  git("commit", "--quiet", "--message", "Stop tracking the journal");
  await refuseTrackedJournal(join(cwd, "notes/x"));
});

test("a journal that git doesn't track, one outside of the checkout and one that isn't there yet are fine", async () => {
  const dir = await tempDir({ "elsewhere/journal.db": "" });
  const cwd = join(dir, "checkout");
  mkdirSync(join(cwd, ".whetstone"), { recursive: true });
  writeFileSync(join(cwd, ".whetstone/journal.db"), "");
  gitIn(cwd)("init", "--quiet");
  for (const path of [".whetstone", "../elsewhere", "missing", "missing/too"])
    await refuseTrackedJournal(join(cwd, path));
});
