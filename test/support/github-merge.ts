import { mkdirSync } from "node:fs";
import { gitIn } from "./repository.ts";

/** The commit that GitHub makes for pull request 7: the branch `change`, merged into `main` as it is now. */
export function mergeAsGithub(origin: string): string {
  const git = gitIn(origin);
  git("checkout", "--quiet", "--detach", "main");
  git("merge", "--quiet", "--no-ff", "--message", "Merge", "change");
  const sha = git("rev-parse", "HEAD").trim();
  git("update-ref", "refs/pull/7/merge", sha);
  git("checkout", "--quiet", "main");
  return sha;
}

/** What actions/checkout leaves of it: that commit alone, and a remote. */
export function checkOutMerge(origin: string, sha: string, folder: string): void {
  mkdirSync(folder);
  const git = gitIn(folder);
  git("init", "--quiet");
  git("remote", "add", "origin", `file://${origin}`);
  git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", `+${sha}:refs/remotes/pull/7/merge`);
  git("checkout", "--quiet", "refs/remotes/pull/7/merge");
}
