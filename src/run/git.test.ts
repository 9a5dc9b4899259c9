import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn, makeRepository } from "../../test/support/repository.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { layOutCommit, listGit, runGit } from "./git.ts";

/** A repository whose settings and hooks start a program that leaves a mark, wherever git would start one. */
async function hostile() {
  const place = await tempDir();
  const [cwd, mark, evil] = [join(place, "repo"), join(place, "ran"), join(place, "evil.sh")];
  mkdirSync(cwd);
  const commits = makeRepository(cwd, [
    {
      "a.txt": "one\n",
      "sub/b.txt": "b\n",
      ".gitattributes": "*.txt filter=evil diff=evil\nsub/* filter=a=b\n",
    },
    { "a.txt": "two\n" },
  ]);
  writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  chmodSync(evil, 0o755);
  const git = gitIn(cwd);
  for (const name of ["filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"])
    git("config", name, evil);
  for (const name of ["diff.external", "core.fsmonitor", "credential.helper"]) git("config", name, evil);
  git("config", "filter.evil.required", "true");
  // blanked by `-c`, this one would be another
  git("config", "filter.a=b.clean", evil);
  git("config", "filter.a=b.smudge", evil);
  // what git starts to fetch an object that isn't there
  git("config", "extensions.partialClone", "away");
  git("config", "core.repositoryFormatVersion", "1");
  git("config", "remote.away.promisor", "true");
  git("config", "remote.away.url", place);
  git("config", "remote.away.uploadpack", evil);
  const hooks = join(place, "hooks");
  mkdirSync(hooks);
  git("config", "core.hooksPath", hooks);
  for (const hook of ["post-checkout", "post-index-change", "reference-transaction"]) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  // other than in the index, so that git has to read it
  writeFileSync(join(cwd, "a.txt"), "three\n");
  return { place, cwd, mark, commits };
}

test("no program starts that a repository's settings, attributes or hooks name", async () => {
  const { place, cwd, mark, commits } = await hostile();
  const [first = ""] = commits;
  expect(await listGit(cwd, ["diff", "-z", "--name-only", first])).toEqual(["a.txt"]);
  await runGit(cwd, ["ls-files", "-z", "--others", "--exclude-standard"]);
  await layOutCommit(cwd, first, join(place, "base"));
  await expect(runGit(cwd, ["cat-file", "-p", "1".repeat(40)])).rejects.toThrow();
  expect(existsSync(mark)).toBe(false);
  expect(readFileSync(join(place, "base/a.txt"), "utf8")).toBe("one\n");
  expect(readFileSync(join(place, "base/sub/b.txt"), "utf8")).toBe("b\n");
  // every commit of the original is known there, as tasks may start from any
  expect(await runGit(join(place, "base"), ["cat-file", "-t", commits[1] ?? ""])).toBe("commit\n");
});

test("a submodule is laid out at the commit's own version; one that isn't here stays empty", async () => {
  const place = await tempDir();
  const [cwd, suite] = [join(place, "repo"), join(place, "suite")];
  for (const path of [cwd, suite]) mkdirSync(path);
  makeRepository(suite, [{ "tasks.jsonl": "one\n" }]);
  makeRepository(cwd, [{ "a.txt": "a" }]);
  const git = gitIn(cwd);
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", suite, "evals");
  git("commit", "--quiet", "--message", "suite");
  const commit = git("rev-parse", "HEAD").trim();
  writeFileSync(join(cwd, "evals/tasks.jsonl"), "two\n");
  gitIn(join(cwd, "evals"))("commit", "--quiet", "--all", "--message", "moved");
  await layOutCommit(cwd, commit, join(place, "base"));
  expect(readFileSync(join(place, "base/evals/tasks.jsonl"), "utf8")).toBe("one\n");
  git("submodule", "--quiet", "deinit", "--force", "evals");
  // a pull request can put a bare repository there, with another tree under the true one's name
  execFileSync("git", ["clone", "--quiet", "--bare", suite, join(cwd, "evals")]);
  await layOutCommit(cwd, commit, join(place, "bare"));
  expect(existsSync(join(place, "bare/evals/tasks.jsonl"))).toBe(false);
});
