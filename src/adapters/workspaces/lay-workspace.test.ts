import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bubblewrapSandbox } from "../sandboxes/bubblewrap.ts";
import { commandRunner } from "../sandboxes/command-runner.ts";
import { type Checkouts, openCheckouts } from "./git-checkout.ts";
import { layWorkspace } from "./lay-workspace.ts";
import { makeRepository } from "../../../test/support/repository.ts";

let base: string;
let commit: string;
let checkouts: Checkouts;
const large = "x".repeat(300 * 1024);

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "whetstone-lay-test-"));
  const repo = join(base, "repo");
  mkdirSync(repo);
  [commit = ""] = makeRepository(repo, [
    {
      "src/a.txt": "a",
      "src/b.txt": "b",
      "run.sh": { script: "#!/bin/sh\necho one\n" },
      "large.bin": large,
      here: { link: "src" },
      "node_modules/kept.js": "1",
    },
  ]);
  checkouts = await openCheckouts({ repo, path: process.env["PATH"] ?? "" });
});
afterAll(async () => {
  await checkouts.close();
  rmSync(base, { recursive: true, force: true });
});

let number = 0;
const newFolder = (): string => join(base, `workspace-${(number += 1)}`);

test("files lie over the checkout, and only what was done afterwards is a change", async () => {
  const folder = newFolder();
  const laid = await layWorkspace(
    folder,
    { files: { "src/a.txt": "mine", "new.txt": "n" }, checkout: commit },
    checkouts,
  );
  expect(readFileSync(join(folder, "src/a.txt"), "utf8")).toBe("mine");
  expect(await laid.changes()).toEqual({ changed: {}, leftOut: [] });
  writeFileSync(join(folder, "src/a.txt"), "a");
  unlinkSync(join(folder, "src/b.txt"));
  writeFileSync(join(folder, "node_modules/kept.js"), "2");
  writeFileSync(join(folder, ".git/config"), "");
  writeFileSync(join(folder, "large.bin"), `y${large.slice(1)}`);
  expect(await laid.changes()).toEqual({
    changed: { "src/a.txt": "a", "src/b.txt": null },
    leftOut: ["large.bin"],
  });
});

test("a folder that became a link shows nothing of where it leads", async () => {
  const folder = newFolder();
  const laid = await layWorkspace(folder, { files: {}, checkout: commit }, checkouts);
  const outside = join(base, "outside");
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, "a.txt"), "a secret of the host");
  rmSync(join(folder, "src"), { recursive: true });
  symlinkSync(outside, join(folder, "src"));
  unlinkSync(join(folder, "here"));
  symlinkSync("/etc", join(folder, "here"));
  expect(await laid.changes()).toEqual({
    changed: { "src/a.txt": null, "src/b.txt": null },
    leftOut: ["here"],
  });
});

test("changes are laid over a fresh copy, whatever stood there", async () => {
  const [worked, fresh] = [newFolder(), newFolder()];
  const laid = await layWorkspace(worked, { files: {}, checkout: commit }, checkouts);
  // a link becomes a folder, a folder a file, a script stays one
  unlinkSync(join(worked, "here"));
  mkdirSync(join(worked, "here"));
  writeFileSync(join(worked, "here/c.txt"), "c");
  rmSync(join(worked, "src"), { recursive: true });
  writeFileSync(join(worked, "src"), "now a file");
  writeFileSync(join(worked, "run.sh"), "#!/bin/sh\necho two\n");
  chmodSync(join(worked, "run.sh"), 0o755);
  const { changed } = await laid.changes();
  const files = Object.fromEntries(
    Object.entries(changed).flatMap(([path, text]) => (text === null ? [] : [[path, text]])),
  );
  const deleted = Object.keys(changed).filter((path) => changed[path] === null);
  const again = await layWorkspace(fresh, { files, deleted, checkout: commit }, checkouts);
  expect(readFileSync(join(fresh, "src"), "utf8")).toBe("now a file");
  expect(readFileSync(join(fresh, "here/c.txt"), "utf8")).toBe("c");
  expect(statSync(join(fresh, "run.sh")).mode & 0o111).not.toBe(0);
  const gone = Object.fromEntries(deleted.map((path) => [path, null]));
  expect(await again.changes()).toEqual({ changed: gone, leftOut: [] });
  const limits = { seconds: 1, memoryMb: 1, processes: 1, diskMb: 5 };
  expect(again.limits(limits).diskMb).toBeGreaterThan(5);
});

test("a grader sees the commit with the changes, and git in it", async () => {
  const run = commandRunner(bubblewrapSandbox(), { checkouts });
  const line = "cat src/a.txt; ls src; git log -1 --format=%H; git status --porcelain; ./run.sh; ls $GRADER";
  const graded = await run(
    {
      argv: ["sh", "-c", line],
      files: { "src/a.txt": "changed\n" },
      deleted: ["src/b.txt"],
      checkout: commit,
      grader: { "hidden.js": "" },
      seconds: 20,
    },
    new AbortController().signal,
  );
  expect(graded.stderr).toBe("");
  expect(graded.stdout.split("\n")).toEqual([
    "changed",
    "a.txt",
    commit,
    " M src/a.txt",
    " D src/b.txt",
    "one",
    "hidden.js",
    "",
  ]);
});

test("without a repository a commit is refused in words", async () => {
  const laying = layWorkspace(newFolder(), { files: {}, checkout: commit }, undefined);
  await expect(laying).rejects.toMatchObject({ code: "tasks-invalid" });
});
