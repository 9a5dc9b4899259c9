import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { quietGit } from "../../adapters/workspaces/quiet-git.ts";
import { readEnv } from "../../config/env.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { LiveSkill } from "../../core/offer/receipt.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export interface BranchInput {
  /** Where the files live; only their place is used. */
  readonly live: LiveSkill;
  readonly files: readonly BranchFile[];
  readonly branch: string;
  readonly message: string;
  /** @default the environment */
  readonly env?: Env;
}

export interface BranchFile {
  readonly path: string;
  /** What the proposal was made from and what it proposes; null where there is no file. */
  readonly original: Uint8Array | null;
  readonly proposed: Uint8Array | null;
}

export interface BranchCommit {
  /** Its top folder. */
  readonly repository: string;
  readonly branch: string;
  readonly commit: string;
  /** Files whose text was not committed as the proposal found it: the branch holds that text too. */
  readonly uncommitted: readonly string[];
}

/**
 * Commits exactly these bytes onto a new branch from HEAD. An index of its own is used, so that the checkout, the
 * index and HEAD stay as they are, and no hook and no filter runs.
 */
export async function commitOnBranch({
  live,
  files,
  branch,
  message,
  env = readEnv(),
}: BranchInput): Promise<BranchCommit> {
  const folder = existingFolder(live.kind === "file" ? dirname(live.path) : live.path);
  const scratch = await mkdtemp(join(tmpdir(), "whetstone-branch-"));
  const git = gitIn(folder, env, { GIT_INDEX_FILE: join(scratch, "index") });
  try {
    const repository = await git(["rev-parse", "--show-toplevel"]);
    const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).catch((cause: unknown) => {
      throw new WhetstoneError(
        "failed",
        `${repository} has no commit yet, so there is nothing to branch from.`,
        {
          cause,
          hint: "Commit something first, or adopt into the file itself.",
        },
      );
    });
    await refuseName(git, branch);
    await git(["read-tree", head]);
    const rows: string[] = [];
    const uncommitted: string[] = [];
    for (const { path, original, proposed } of files) {
      const place = await placeInside(git, folder, live, path);
      const [mode = "100644", , object = null] = (await git(["ls-tree", "--full-tree", head, "--", place]))
        .split(/\s/)
        .slice(0, 3);
      const was = original === null ? null : await git(["hash-object", "--stdin"], original);
      if (was !== (object === "" ? null : object)) uncommitted.push(place);
      // without a path given, hash-object takes the bytes as they are
      rows.push(
        proposed === null
          ? `0 ${"0".repeat(head.length)}\t${place}\0`
          : `${mode === "" ? "100644" : mode} ${await git(["hash-object", "-w", "--stdin"], proposed)}\t${place}\0`,
      );
    }
    await git(["update-index", "-z", "--index-info"], Buffer.from(rows.join("")));
    const tree = await git(["write-tree"]);
    if (tree === (await git(["rev-parse", `${head}^{tree}`]))) {
      throw new WhetstoneError("failed", "HEAD already holds these bytes: there is nothing to commit.", {
        hint: "Merge what is committed, or adopt into the file itself.",
      });
    }
    const commit = await git(["commit-tree", tree, "-p", head, "-F", "-"], Buffer.from(message));
    // the empty old value: only when there is no such branch
    await git(["update-ref", `refs/heads/${branch}`, commit, ""]);
    return { repository, branch, commit, uncommitted };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

type Git = (args: readonly string[], input?: Uint8Array) => Promise<string>;

async function refuseName(git: Git, branch: string): Promise<void> {
  const isRef = await git(["check-ref-format", `refs/heads/${branch}`]).then(
    () => !branch.startsWith("-"),
    () => false,
  );
  if (!isRef)
    throw new WhetstoneError("usage", `"${branch}" is no name for a branch.`, { hint: "Write another one." });
  const exists = await git(["show-ref", "--verify", "--quiet", `refs/heads/${branch}`]).then(
    () => true,
    () => false,
  );
  if (exists) {
    throw new WhetstoneError("usage", `There is a branch ${branch} already.`, {
      hint: `Name another one, or look at it and delete it: \`git log -p ${branch}\`, \`git branch -D ${branch}\`.`,
    });
  }
}

/** From the top of the repository, with forward slashes. */
async function placeInside(git: Git, folder: string, live: LiveSkill, path: string): Promise<string> {
  const prefix = await git(["rev-parse", "--show-prefix"]);
  const root = live.kind === "file" ? dirname(live.path) : live.path;
  const between = root.slice(folder.length).split("/").filter(Boolean);
  return prefix + [...between, live.kind === "file" ? basename(live.path) : path].join("/");
}

const existingFolder = (folder: string): string =>
  existsSync(folder) ? folder : existingFolder(dirname(folder));

/** Git in one folder, without hooks, and without what a surrounding git command may have set. */
export function gitIn(folder: string, env: Env, more: Env = {}): Git {
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith("GIT_") || /^GIT_(?:AUTHOR|COMMITTER|SSH|ASKPASS)/.test(name),
  );
  return async (args, input) => {
    const child = spawn("git", ["-C", folder, ...args], {
      env: { ...Object.fromEntries(kept), ...quietGit(), ...more },
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    }).catch((cause: unknown) => {
      throw new WhetstoneError("failed", "git cannot be started.", {
        cause,
        hint: "Is git installed and on PATH?",
      });
    });
    const [out, said, code] = await Promise.all([readText(child.stdout), readText(child.stderr), ended]);
    if (code === 0) return out.trimEnd();
    const words = said.trim().replaceAll(/^(?:fatal|error): /gm, "");
    throw new WhetstoneError(
      "failed",
      `git ${args[0] ?? ""} in ${folder}: ${words === "" ? `exit code ${code}` : words}`,
      {
        hint: "Nothing of the checkout was changed. Mend that and run the same command again.",
      },
    );
  };
}
