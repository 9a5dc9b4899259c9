import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { RawConversation } from "../../core/ports/conversation.ts";
import { withCommit } from "./commit-at.ts";

const hour = 3_600_000;
const noon = Date.UTC(2026, 9, 1, 12);

/** A repository with one commit an hour on `main`, from noon on. */
async function newRepository(commits: number) {
  const folder = await tempDir();
  const git = (at: number, ...args: string[]) =>
    execFileSync("git", ["-C", folder, ...args], {
      encoding: "utf8",
      env: {
        PATH: "/usr/bin:/bin",
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b.c",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b.c",
        GIT_AUTHOR_DATE: `@${at / 1000} +0000`,
        GIT_COMMITTER_DATE: `@${at / 1000} +0000`,
      },
    }).trim();
  git(noon, "init", "-q", "-b", "main");
  const ids: string[] = [];
  for (let nth = 0; nth < commits; nth += 1) {
    writeFileSync(join(folder, "file"), String(nth));
    git(noon, "add", "file");
    git(noon + nth * hour, "commit", "-qm", String(nth));
    ids.push(git(noon, "rev-parse", "HEAD"));
  }
  return { folder, ids };
}

const talk = (project: string, more: Partial<RawConversation>): RawConversation => ({
  id: "claude-code:1",
  source: "claude-code",
  project,
  startedAt: noon,
  endedAt: noon,
  turns: [],
  tools: [],
  skills: [],
  files: [],
  toolOutputs: [],
  ...more,
});

test("a branch and a time name the newest commit of that branch from before the conversation", async () => {
  const { folder, ids } = await newRepository(3);
  const at = async (startedAt: number, branch = "main") =>
    (await withCommit(talk(folder, { branch, startedAt }))).commit;
  expect(await at(noon + 1.5 * hour)).toBe(ids[1]);
  expect(await at(noon + 9 * hour)).toBe(ids[2]);
  expect(await at(noon - hour)).toBeUndefined();
  expect(await at(noon + hour, "gone")).toBeUndefined();
  expect(await at(noon + hour, "--all")).toBeUndefined();
});

test("a commit that was written down is kept in full when git has it, and left out when it has not", async () => {
  const { folder, ids } = await newRepository(1);
  const [id = ""] = ids;
  expect((await withCommit(talk(folder, { commit: id.slice(0, 10) }))).commit).toBe(id);
  expect(await withCommit(talk(folder, { commit: "0".repeat(40) }))).not.toHaveProperty("commit");
});

test("a folder that is no repository has no commit", async () => {
  const folder = await tempDir();
  expect(await withCommit(talk(folder, { branch: "main" }))).not.toHaveProperty("commit");
});
