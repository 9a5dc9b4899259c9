import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { bubblewrapSandbox } from "../sandboxes/bubblewrap.ts";
import { type Checkouts, type CheckoutOptions, openCheckouts } from "./git-checkout.ts";
import { gitIn, hashFolder, makeRepository } from "../../../test/support/repository.ts";

let base: string;
let repo: string;
let commits: readonly string[];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "whetstone-checkout-test-"));
  repo = join(base, "repo");
  mkdirSync(repo);
  commits = makeRepository(repo, [
    {
      "src/sum.js": "export const sum = (a, b) => a - b;\n",
      "bin/run": { script: "#!/bin/sh\necho ran\n" },
      "latest.js": { link: "src/sum.js" },
      ".gitignore": "node_modules\n",
    },
    { "src/sum.js": "export const sum = (a, b) => a + b;\n", "later.txt": "the solution\n" },
  ]);
  // what a developer's folder looks like: edited, with files of nobody, with a hook and a filter of their own
  writeFileSync(join(repo, "src/sum.js"), "dirty\n");
  writeFileSync(join(repo, "secret.env"), "TOKEN=1\n");
  mkdirSync(join(repo, "node_modules/left-pad"), { recursive: true });
  writeFileSync(join(repo, "node_modules/left-pad/index.js"), "module.exports = 1;\n");
  for (const hook of ["post-checkout", "reference-transaction"]) {
    writeFileSync(join(repo, ".git/hooks", hook), `#!/bin/sh\ntouch ${base}/hook-ran\n`, { mode: 0o755 });
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

// every folder of ours is seen when it is left behind
let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(base, "tmp-"));
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
});

async function open(options: Partial<CheckoutOptions> = {}): Promise<Checkouts> {
  const checkouts = await openCheckouts({ repo, path: process.env["PATH"] ?? "", ...options });
  onTestFinished(() => checkouts.close());
  return checkouts;
}

const emptyFolder = (): string => mkdtempSync(join(base, "copy-"));
const first = () => commits[0] ?? "";
const second = () => commits[1] ?? "";

test("a copy holds exactly the commit, and git works in it", async () => {
  const folder = emptyFolder();
  await (await open()).materialise(first(), folder);
  expect(readdirSync(folder).toSorted()).toEqual([".git", ".gitignore", "bin", "latest.js", "src"]);
  expect(readFileSync(join(folder, "src/sum.js"), "utf8")).toContain("a - b");
  expect(statSync(join(folder, "bin/run")).mode & 0o111).not.toBe(0);
  const git = gitIn(folder);
  expect(git("rev-parse", "HEAD").trim()).toBe(first());
  expect(git("status", "--porcelain")).toBe("");
  // plumbing that looks at times alone
  expect(git("diff-files", "--name-only")).toBe("");
  writeFileSync(join(folder, "src/sum.js"), "other\n");
  expect(git("diff", "--name-only").trim()).toBe("src/sum.js");
  expect(git("log", "-1", "--format=%s").trim()).toBe("Commit 1");
});

test("later commits and the place of the repository are not in the copy", async () => {
  const folder = emptyFolder();
  await (await open()).materialise(first(), folder);
  expect(() => gitIn(folder)("cat-file", "-e", second())).toThrow();
  expect(gitIn(folder)("remote")).toBe("");
  expect(() => execFileSync("grep", ["-rqF", repo, folder])).toThrow();
  // of the second commit neither its parent
  const later = emptyFolder();
  await (await open()).materialise(second(), later);
  expect(gitIn(later)("rev-list", "--count", "HEAD").trim()).toBe("1");
});

test("fault 23: the replay does not run inside the real project, which stays as it is byte for byte", async () => {
  const before = hashFolder(repo);
  const checkouts = await open({ dependencies: ["node_modules"] });
  const folder = emptyFolder();
  const { within } = await checkouts.materialise(first(), folder);
  const script =
    "pwd; ls -A; echo broken > src/sum.js; rm -rf .git; echo x > node_modules/left-pad/index.js; ls -A /; ls -A ..";
  const run = await bubblewrapSandbox().run(
    {
      workspace: folder,
      within,
      command: () => ({ argv: ["sh", "-c", script] }),
      limits: { seconds: 20, memoryMb: 512, processes: 50, diskMb: 64 },
    },
    new AbortController().signal,
  );
  expect(run.stdout).toContain("/home/dev/project\n");
  expect(run.stdout).not.toContain("secret.env");
  expect(run.stderr).toContain("Read-only file system");
  await checkouts.close();
  expect(hashFolder(repo)).toBe(before);
});

test("neither hooks nor filters of the user run, and no setting of theirs is read", async () => {
  const repository = join(base, "attributed");
  mkdirSync(repository);
  const attributed = makeRepository(repository, [
    { ".gitattributes": "*.txt filter=loud\n", "a.txt": "as it is\n" },
  ]);
  gitIn(repository)("config", "core.fsmonitor", `touch ${base}/monitor-ran`);
  gitIn(repository)("config", "filter.loud.smudge", `touch ${base}/filter-ran; cat`);
  gitIn(repository)("config", "filter.loud.required", "true");
  const folder = emptyFolder();
  await (await open({ repo: repository })).materialise(attributed[0] ?? "", folder);
  await (await open()).materialise(second(), emptyFolder());
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("as it is\n");
  for (const name of ["hook-ran", "filter-ran", "monitor-ran"])
    expect(existsSync(join(base, name))).toBe(false);
});

test("an unknown commit, a ref and something that is no commit are refused in words", async () => {
  const checkouts = await open();
  const blob = gitIn(repo)("rev-parse", `${first()}:src/sum.js`).trim();
  for (const commit of ["0".repeat(40), "main", "--upload-pack=sh", blob, first().slice(0, 10)]) {
    expect(await checkouts.has(commit)).toBe(false);
    await expect(checkouts.materialise(commit, emptyFolder())).rejects.toMatchObject({
      code: "tasks-invalid",
      message: expect.stringMatching(/isn't in the repository|isn't a full commit id/),
    });
  }
  expect(await checkouts.has(first())).toBe(true);
  await expect(open({ repo: tmpdir() })).rejects.toMatchObject({ code: "tasks-invalid" });
});

test("a commit is fetched once, few are kept, and nothing is left", async () => {
  const checkouts = await open({ keep: 1 });
  const kept = () => readdirSync(join(temporary, readdirSync(temporary)[0] ?? ""));
  await Promise.all([1, 2, 3, 4].map(() => checkouts.materialise(first(), emptyFolder())));
  expect(kept()).toEqual([first()]);
  await Promise.all([first(), second()].map((commit) => checkouts.materialise(commit, emptyFolder())));
  expect(kept()).toHaveLength(1);
  await checkouts.close();
  expect(readdirSync(temporary)).toEqual([]);
  await checkouts.materialise(second(), emptyFolder());
  expect(kept()).toEqual([second()]);
});

test("dependencies are below the project, and what the commit has itself stays", async () => {
  const folder = emptyFolder();
  const checkouts = await open({ dependencies: ["node_modules", "src", "absent"] });
  const { within } = await checkouts.materialise(first(), folder);
  expect(within).toEqual({ [join(repo, "node_modules")]: "node_modules" });
  expect(readdirSync(join(folder, "node_modules"))).toEqual([]);
  for (const wrong of ["../other", "/etc", "."]) {
    await expect(open({ dependencies: [wrong] })).rejects.toMatchObject({ code: "config-invalid" });
  }
});

test("a worktree and a folder below the root do as well", async () => {
  const tree = join(base, "tree");
  gitIn(repo)("worktree", "add", "--quiet", "--detach", tree, second());
  for (const place of [tree, join(repo, "src")]) {
    const folder = emptyFolder();
    await (await open({ repo: place })).materialise(first(), folder);
    expect(gitIn(folder)("rev-parse", "HEAD").trim()).toBe(first());
  }
});
