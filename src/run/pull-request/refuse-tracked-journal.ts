import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import { listGit, runGit } from "../git.ts";

/** A committed journal could have been measured anywhere, so it can't be used to judge a pull request. */
export async function refuseTrackedJournal(journalDir: string): Promise<void> {
  const parent = await realpath(dirname(journalDir)).catch(() => undefined);
  if (parent === undefined || !(await isInRepository(parent))) return;
  const name = basename(journalDir);
  const indexed = await listGit(parent, ["--literal-pathspecs", "ls-files", "-z", "--", name]);
  const committed = await listGit(parent, ["ls-tree", "-z", "--name-only", "HEAD"]).catch(() => []);
  const same = await Promise.all(committed.map((entry) => isSame(join(parent, entry), join(parent, name))));
  if (indexed.length === 0 && !same.includes(true)) return;
  throw new WhetstoneError(
    "usage",
    `Git tracks the journal folder ${journalDir}. Its results came with a commit and weren't measured here, so they can't give a verdict.`,
    {
      hint: `Stop tracking it: git rm -r --cached ${journalDir} && git commit -m "Stop tracking the journal"`,
    },
  );
}

const isInRepository = (folder: string): Promise<boolean> =>
  runGit(folder, ["rev-parse", "--is-inside-work-tree"]).then(
    (said) => said.trim() === "true",
    () => false,
  );

/** Compares names and inodes, because on some disks .Whetstone is the same folder. */
async function isSame(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
