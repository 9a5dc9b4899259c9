import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { mainWorktree } from "./main-worktree.ts";

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);

test("a linked worktree is its repository's, as far as the repository says so too", async () => {
  const place = await tempDir();
  const [main, linked, clone] = [join(place, "main"), join(place, "linked"), join(place, "clone")];
  for (const folder of [main, clone]) {
    mkdirSync(join(folder, "skills"), { recursive: true });
    git(folder, "init", "-q");
  }
  git(main, "commit", "-q", "--allow-empty", "-m", "x");
  git(main, "worktree", "add", "-q", linked);
  mkdirSync(join(linked, "skills"));
  expect(mainWorktree(join(linked, "skills"))).toBe(join(main, "skills"));
  expect(mainWorktree(linked)).toBe(main);
  expect(mainWorktree(main)).toBe(main);
  expect(mainWorktree(join(clone, "skills"))).toBe(join(clone, "skills"));
  // a clone that says it is a worktree of somebody else's repository
  const forged = join(place, "forged");
  mkdirSync(forged);
  writeFileSync(join(forged, ".git"), `gitdir: ${join(main, ".git", "worktrees", "linked")}\n`);
  expect(mainWorktree(forged)).toBe(forged);
  // one that brings what the repository would have to say
  const says = join(forged, "worktrees", "x");
  mkdirSync(says, { recursive: true });
  writeFileSync(join(forged, ".git"), "gitdir: worktrees/x\n");
  writeFileSync(join(says, "gitdir"), "../../.git\n");
  writeFileSync(join(says, "commondir"), join(main, ".git"));
  expect(mainWorktree(forged)).toBe(forged);
});
