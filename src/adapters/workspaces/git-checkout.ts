import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { promisify } from "node:util";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import { removeFolder } from "../agents/remove-folder.ts";
import { commitId } from "../../core/tasks/commit-id.ts";
import { folderBytes } from "../sandboxes/watch-limits.ts";
import { quietGit } from "./quiet-git.ts";
import { type Baseline, takeBaseline } from "../sandboxes/workspace-changes.ts";

export interface CheckoutOptions {
  /** Any folder in the project's repository, which is only read. */
  readonly repo: string;
  /**
   * Folders in `repo` that git doesn't track but work needs, such as node_modules. Every workspace can read them as
   * they are now, not as at the commit. A folder that the commit contains stays as it is there.
   */
  readonly dependencies?: readonly string[];
  /** The number of commits whose copies are kept at a time. @default 8 */
  readonly keep?: number;
  /** The PATH for `git` and `cp`. @default the system's own folders */
  readonly path?: string;
}

/** Working copies of one repository at any of its commits. */
export interface Checkouts {
  /** Whether the repository has that commit. */
  has(commit: string): Promise<boolean>;
  /** The commit's size on disk. */
  megabytes(commit: string): Promise<number>;
  /** Checks the commit out into an empty folder. An unknown commit throws `tasks-invalid`. */
  materialise(commit: string, folder: string): Promise<Checkout>;
  /** Removes every stored copy. The next request starts over. */
  close(): Promise<void>;
}

export interface Checkout {
  /** A snapshot of the folder, for finding changes later. */
  readonly baseline: Baseline;
  readonly megabytes: number;
  /** Dependencies, to be mounted read-only: path on the host → path in the folder. */
  readonly within: Readonly<Record<string, string>>;
}

export async function openCheckouts(options: CheckoutOptions): Promise<Checkouts> {
  const { keep = 8, path = systemPath } = options;
  const git = gitWith(path);
  const repo = await realpath(options.repo).catch(() => options.repo);
  const root = await git(repo, "rev-parse", "--show-toplevel").then(
    (printed) => printed.replace(/\n$/, ""),
    (cause: unknown) => {
      throw noRepository(options.repo, cause);
    },
  );
  const dependencies = await findDependencies(repo, root, options.dependencies ?? []);
  let place: Promise<string> | undefined;
  const copies = new Map<string, Kept>();

  const has = async (commit: string): Promise<boolean> => {
    if (!commitId.test(commit)) return false;
    return git(root, "cat-file", "-e", `${commit}^{commit}`).then(
      () => true,
      () => false,
    );
  };

  async function makePristine(commit: string): Promise<Pristine> {
    if (!(await has(commit))) throw unknownCommit(commit, root);
    place ??= mkdtemp(join(tmpdir(), "whetstone-checkouts-"));
    const folder = join(await place, commit);
    try {
      await mkdir(folder);
      await cloneCommit(git, root, commit, folder);
    } catch (cause) {
      await removeFolder(folder);
      throw cannotCopy(commit, cause);
    }
    return {
      folder,
      baseline: await takeBaseline(folder),
      megabytes: Math.ceil((await folderBytes([folder], Number.POSITIVE_INFINITY)) / 1024 / 1024),
      within: await placeDependencies(folder, dependencies),
    };
  }

  function take(commit: string): Kept {
    const known = copies.get(commit);
    copies.delete(commit);
    const kept = known ?? { made: makePristine(commit), users: 0 };
    copies.set(commit, kept);
    kept.users += 1;
    // a failed one isn't kept, because the repository may have been fixed
    kept.made.catch(() => copies.get(commit) === kept && copies.delete(commit));
    return kept;
  }

  async function use<Result>(commit: string, work: (pristine: Pristine) => Promise<Result>): Promise<Result> {
    const kept = take(commit);
    try {
      return await work(await kept.made);
    } finally {
      kept.users -= 1;
      await dropOldest();
    }
  }

  /** The longest unused go first; copies in use stay. */
  async function dropOldest(): Promise<void> {
    const surplus = [...copies]
      .filter(([, { users }]) => users === 0)
      .slice(0, Math.max(0, copies.size - keep));
    for (const [commit] of surplus) copies.delete(commit);
    for (const [, { made }] of surplus) await removeFolder((await made).folder);
  }

  return {
    has,
    megabytes: (commit) => use(commit, async ({ megabytes }) => megabytes),
    materialise: (commit, folder) =>
      use(commit, async ({ folder: pristine, ...checkout }) => {
        await copyTree(pristine, folder, path);
        for (const below of Object.values(checkout.within)) await mkdir(join(folder, below));
        return checkout;
      }),
    async close() {
      const folder = place;
      place = undefined;
      copies.clear();
      if (folder !== undefined) await removeFolder(await folder);
    },
  };
}

const systemPath = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin";

interface Pristine extends Checkout {
  readonly folder: string;
}

interface Kept {
  readonly made: Promise<Pristine>;
  /** Copies in progress. */
  users: number;
}

type Git = (folder: string, ...words: readonly string[]) => Promise<string>;

const run = promisify(execFile);

/** Git that reads only a repository's own settings, asks nobody, and runs no hooks, filters or helpers. */
const gitWith =
  (path: string): Git =>
  async (folder, ...words) => {
    const { stdout } = await run("git", words, {
      cwd: folder,
      env: { ...copyingGit, PATH: path },
      maxBuffer: 1024 * 1024,
    });
    return stdout;
  };

const copyingGit: Readonly<Record<string, string>> = {
  // the repository may belong to somebody else, such as a mounted one
  ...quietGit({ "safe.directory": "*", "core.logAllRefUpdates": "false" }),
  HOME: "/nonexistent",
  LANG: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_ALLOW_PROTOCOL: "file",
};

/**
 * A shallow copy instead of `git worktree`, which would write to the user's repository, need it in the sandbox, and
 * show the agent later commits, which may contain the solution.
 */
async function cloneCommit(git: Git, root: string, commit: string, folder: string): Promise<void> {
  const format = commit.length === 64 ? "sha256" : "sha1";
  await git(folder, "init", "--quiet", "--template=", `--object-format=${format}`);
  // git starts this in a shell, without its own settings
  const sender = "git -c 'safe.directory=*' -c uploadpack.allowAnySHA1InWant=true upload-pack";
  const fetch = "fetch --quiet --depth=1 --no-tags --no-write-fetch-head --no-recurse-submodules".split(" ");
  await git(folder, ...fetch, `--upload-pack=${sender}`, "--", root, commit);
  await git(folder, "checkout", "--quiet", "--detach", commit);
  for (const [name, value] of Object.entries(ownSettings)) await git(folder, "config", name, value);
}

/** Copies have other inodes and would all look changed, and an agent that commits needs a name. */
const ownSettings = {
  "core.checkStat": "minimal",
  "core.trustctime": "false",
  "user.name": "dev",
  "user.email": "dev@localhost",
} as const;

/** Keeps links and times, and shares blocks if the disk can. */
async function copyTree(from: string, to: string, path: string): Promise<void> {
  const words = process.platform === "darwin" ? ["-pPRc"] : ["-a", "--reflink=auto"];
  try {
    await run("cp", [...words, `${from}/.`, to], { env: { PATH: path } });
  } catch (cause) {
    throw new InfraError("transport", `The checkout couldn't be copied: ${reasonOf(cause)}`, { cause });
  }
}

/** Host folder → path from the repository's root. */
async function findDependencies(
  repo: string,
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of names) {
    const below = relative(root, join(repo, name));
    if (isAbsolute(name) || below === "" || below.split("/").includes("..") || below.startsWith(".git")) {
      throw new WhetstoneError(
        "config-invalid",
        `The dependency ${JSON.stringify(name)} isn't a folder in the project.`,
        { hint: "Name folders inside the project, such as node_modules." },
      );
    }
    const folder = await realpath(join(root, below)).catch(() => undefined);
    if (folder !== undefined && (await lstat(folder)).isDirectory()) found.set(folder, below);
  }
  return found;
}

/** Dependencies that have a place in this commit but aren't part of it. */
async function placeDependencies(
  folder: string,
  dependencies: ReadonlyMap<string, string>,
): Promise<Readonly<Record<string, string>>> {
  const real = await realpath(folder);
  const placed: Record<string, string> = {};
  for (const [host, below] of dependencies) {
    const place = join(real, below);
    const isFree = await lstat(place).then(
      () => false,
      () => true,
    );
    const parent = await realpath(dirname(place)).catch(() => undefined);
    if (isFree && parent === dirname(place)) placed[host] = below;
  }
  return placed;
}

const noRepository = (repo: string, cause: unknown): WhetstoneError =>
  new WhetstoneError("tasks-invalid", `Tasks start from a commit, but ${repo} isn't in a git repository.`, {
    cause,
    hint: "Start the command inside the project's repository, or remove `checkout` from the tasks.",
  });

const unknownCommit = (commit: string, root: string): WhetstoneError =>
  new WhetstoneError(
    "tasks-invalid",
    commitId.test(commit)
      ? `Commit ${commit.slice(0, 12)} isn't in the repository ${root}.`
      : `${JSON.stringify(commit)} isn't a full commit id.`,
    { hint: "Fetch the commit, fix `checkout`, or leave the task out." },
  );

const cannotCopy = (commit: string, cause: unknown): InfraError =>
  new InfraError("refused", `Can't check out commit ${commit.slice(0, 12)}: ${reasonOf(cause)}`, {
    cause,
    hint: "Check the repository with `git fsck`, and check that the disk has space.",
  });

const reasonOf = (cause: unknown): string => {
  const { stderr = "", message } = cause as Error & { readonly stderr?: string };
  return (stderr.trim() || message).slice(-300);
};
