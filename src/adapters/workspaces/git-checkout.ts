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
  /** Any folder of the project's repository, which is only read. */
  readonly repo: string;
  /**
   * Folders below `repo` that git does not hold and that work needs, such as node_modules: readable in every workspace,
   * as they are now and not as they were at the commit. One that the commit has itself is left as the commit has it.
   */
  readonly dependencies?: readonly string[];
  /** Commits of which a copy is kept at a time. @default 8 */
  readonly keep?: number;
  /** Where `git` and `cp` are looked for. @default the system's own folders */
  readonly path?: string;
}

/** Working copies of one repository at any of its commits. */
export interface Checkouts {
  /** Whether the repository has that commit. */
  has(commit: string): Promise<boolean>;
  /** What the commit takes on the disk. */
  megabytes(commit: string): Promise<number>;
  /** Lays the commit into an empty folder. An unknown one is `tasks-invalid`. */
  materialise(commit: string, folder: string): Promise<Checkout>;
  /** Removes every kept copy. The next request begins anew. */
  close(): Promise<void>;
}

export interface Checkout {
  /** What the folder holds now, to tell later what was done to it. */
  readonly baseline: Baseline;
  readonly megabytes: number;
  /** Dependencies, to be shown read-only: path on the host → path below the folder. */
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
    // one that failed is not kept: the repository may have been mended
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

  /** The longest unused go first; what is being copied stays. */
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
  /** Copies under way. */
  users: number;
}

type Git = (folder: string, ...words: readonly string[]) => Promise<string>;

const run = promisify(execFile);

/** Git that reads no settings but a repository's own, asks nobody, and runs neither hooks, filters nor helpers. */
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
  // the repository may be somebody else's, such as a mounted one
  ...quietGit({ "safe.directory": "*", "core.logAllRefUpdates": "false" }),
  HOME: "/nonexistent",
  LANG: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_ALLOW_PROTOCOL: "file",
};

/**
 * A shallow copy of its own and no `git worktree`: that would write into the repository of the user, would need it in
 * the box, and would show the agent later commits, which may hold the solution.
 */
async function cloneCommit(git: Git, root: string, commit: string, folder: string): Promise<void> {
  const format = commit.length === 64 ? "sha256" : "sha1";
  await git(folder, "init", "--quiet", "--template=", `--object-format=${format}`);
  // git starts this in a shell, with its own settings taken away
  const sender = "git -c 'safe.directory=*' -c uploadpack.allowAnySHA1InWant=true upload-pack";
  const fetch = "fetch --quiet --depth=1 --no-tags --no-write-fetch-head --no-recurse-submodules".split(" ");
  await git(folder, ...fetch, `--upload-pack=${sender}`, "--", root, commit);
  await git(folder, "checkout", "--quiet", "--detach", commit);
  for (const [name, value] of Object.entries(ownSettings)) await git(folder, "config", name, value);
}

/** Copies have other inodes, and would all seem changed; an agent may commit, and needs a name for that. */
const ownSettings = {
  "core.checkStat": "minimal",
  "core.trustctime": "false",
  "user.name": "dev",
  "user.email": "dev@localhost",
} as const;

/** With links as links, times kept, and blocks shared where the disk can. */
async function copyTree(from: string, to: string, path: string): Promise<void> {
  const words = process.platform === "darwin" ? ["-pPRc"] : ["-a", "--reflink=auto"];
  try {
    await run("cp", [...words, `${from}/.`, to], { env: { PATH: path } });
  } catch (cause) {
    throw new InfraError("transport", `The checkout could not be copied: ${reasonOf(cause)}`, { cause });
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
        `The dependency ${JSON.stringify(name)} is no folder of the project.`,
        { hint: "Name folders below the project, such as node_modules." },
      );
    }
    const folder = await realpath(join(root, below)).catch(() => undefined);
    if (folder !== undefined && (await lstat(folder)).isDirectory()) found.set(folder, below);
  }
  return found;
}

/** Those that have a place in this commit and that it does not hold itself. */
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
  new WhetstoneError("tasks-invalid", `Tasks start from a commit, and ${repo} is in no git repository.`, {
    cause,
    hint: "Start the command inside the project's repository, or take `checkout` out of the tasks.",
  });

const unknownCommit = (commit: string, root: string): WhetstoneError =>
  new WhetstoneError(
    "tasks-invalid",
    commitId.test(commit)
      ? `The commit ${commit.slice(0, 12)} is not in the repository ${root}.`
      : `${JSON.stringify(commit)} is not a whole commit id.`,
    { hint: "Fetch the commit, correct `checkout`, or leave the task out." },
  );

const cannotCopy = (commit: string, cause: unknown): InfraError =>
  new InfraError("refused", `The commit ${commit.slice(0, 12)} cannot be checked out: ${reasonOf(cause)}`, {
    cause,
    hint: "Look with `git fsck` whether the repository is whole, and whether the disk has room.",
  });

const reasonOf = (cause: unknown): string => {
  const { stderr = "", message } = cause as Error & { readonly stderr?: string };
  return (stderr.trim() || message).slice(-300);
};
