import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { quietGit } from "../adapters/workspaces/quiet-git.ts";
import { readEnv } from "../config/env.ts";

const execute = promisify(execFile);

/** Git's output, as bytes. */
export async function runGitBytes(folder: string, args: readonly string[]): Promise<Buffer> {
  const git = (words: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
    execute("git", ["-C", folder, ...words], {
      env: { ...readEnv(), ...quietGit(settings) },
      encoding: "buffer",
      maxBuffer: 64 * 1024 * 1024,
    });
  // commands that read or write a working tree would run the filters from git's settings
  const isFiltered = args[0] === "diff" || args[0] === "checkout";
  const filters = isFiltered
    ? git(["config", "-z", "--name-only", "--get-regexp", String.raw`^filter\.`])
    : undefined;
  const names = (await filters?.catch(() => undefined))?.stdout.toString().split("\0") ?? [];
  return (await git(args, Object.fromEntries(names.filter(Boolean).map((name) => [name, ""])))).stdout;
}

export const runGit = async (folder: string, args: readonly string[]): Promise<string> =>
  (await runGitBytes(folder, args)).toString();

/** Git's output with `-z`, as a list. */
export const listGit = async (folder: string, args: readonly string[]): Promise<readonly string[]> =>
  (await runGit(folder, args)).split("\0").filter(Boolean);

/**
 * Checks out a commit into a separate folder, with its submodules as far as they are here. The folder is a repository
 * without settings, so nothing that the original's settings define can run; it shares the original's objects.
 */
export async function layOutCommit(repository: string, commit: string, folder: string): Promise<void> {
  const objects = (
    await runGit(repository, ["rev-parse", "--path-format=absolute", "--git-path", "objects"])
  ).trimEnd();
  await mkdir(folder, { recursive: true });
  const format = commit.length === 64 ? "sha256" : "sha1";
  await runGit(folder, ["init", "--quiet", "--template=", `--object-format=${format}`]);
  await mkdir(join(folder, ".git/objects/info"), { recursive: true });
  await writeFile(join(folder, ".git/objects/info/alternates"), `${objects}\n`);
  await runGit(folder, ["checkout", "--quiet", "--detach", commit]);
  for (const line of await listGit(folder, ["ls-tree", "-r", "-z", commit])) {
    const [, id = "", path = ""] = /^160000 commit (\w+)\t(.+)$/s.exec(line) ?? [];
    const submodule = join(repository, path);
    // a submodule that wasn't fetched stays empty; a commit can't contain `.git`, but it can contain a bare repository
    if (path !== "" && existsSync(join(submodule, ".git")))
      await layOutCommit(submodule, id, join(folder, path)).catch(() => {});
  }
}
