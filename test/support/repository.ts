import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** What a commit changes: content, null for a file that goes, bytes, a link's target, or a script that can be run. */
export type Change =
  | string
  | null
  | { readonly bytes: Uint8Array }
  | { readonly link: string }
  | { readonly script: string };

/** A git repository in that folder, with one commit after the other; gives their ids. */
export function makeRepository(
  folder: string,
  commits: readonly Readonly<Record<string, Change>>[],
): readonly string[] {
  const git = gitIn(folder);
  git("init", "--quiet", "--initial-branch=main");
  return commits.map((changes, at) => {
    for (const [path, change] of Object.entries(changes)) put(join(folder, path), change);
    git("add", "--all", "--force", ".");
    git("commit", "--quiet", "--no-verify", "--message", `Commit ${at + 1}`);
    return git("rev-parse", "HEAD").trim();
  });
}

const systemPath = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin";

export const gitIn =
  (folder: string) =>
  (...words: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...words], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: systemPath, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    });

/** Puts one of them on the disk. */
export function put(path: string, change: Change): void {
  rmSync(path, { recursive: true, force: true });
  if (change === null) return;
  mkdirSync(dirname(path), { recursive: true });
  if (typeof change === "string") writeFileSync(path, change);
  else if ("bytes" in change) writeFileSync(path, change.bytes);
  else if ("link" in change) symlinkSync(change.link, path);
  else {
    writeFileSync(path, change.script);
    chmodSync(path, 0o755);
  }
}

/** One hash of all that a folder holds, .git with it: names, kinds, modes, times of change and bytes. */
export function hashFolder(folder: string): string {
  const hash = createHash("sha256");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  for (const path of paths) {
    const facts = lstatSync(join(folder, path), { bigint: true });
    hash.update(`${path}\0${facts.mode}\0${facts.mtimeNs}\0${facts.ctimeNs}\0`);
    if (facts.isSymbolicLink()) hash.update(readlinkSync(join(folder, path)));
    if (facts.isFile()) hash.update(readFileSync(join(folder, path)));
  }
  return hash.digest("hex");
}
