import { basename, dirname, join, relative, sep } from "node:path";
import { makeFolder } from "../../adapters/make-folder.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { holdProcessLock } from "../../adapters/journals/process-lock.ts";
import { isWithin, realFolder } from "../../adapters/project-matcher.ts";
import { isInState } from "../../config/journal-place.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { stateFolder } from "../../config/state-folder.ts";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { LiveSkill } from "../../core/offer/receipt.ts";
import { liveName, locateSkill, readIfThere, targetPath } from "./live-skill.ts";

/**
 * Remembers the location of a run's skill in `<journalDir>/targets/<run>.json`. It isn't an artifact, because artifacts contain
 * no absolute paths. A link is resolved here, once: the link stays, and its target is what changes.
 */
export async function writeTarget(run: string, { skillPath, journalDir }: Resolved): Promise<void> {
  const live = locateSkill(skillPath);
  if (live !== undefined) await writeLiveTarget(run, live, journalDir);
}

/**
 * A journal outside the person's state can come from somebody else. So a path outside its project is also kept in the state,
 * and only then does anything change there.
 */
export async function writeLiveTarget(run: string, live: LiveSkill, journalDir: string): Promise<void> {
  const project = projectOf(journalDir);
  const record = recordOf(live, project);
  if (!isInState(journalDir) && !isWithin(live.path, project) && !isWithin(record, project)) {
    const text = `${JSON.stringify({ v: 1, project, path: live.path }, null, 2)}\n`;
    // a read-only state folder doesn't end the run; adopting then reports what is missing
    await writeFileAtomic(record, text, { isPrivate: true }).catch(() => {});
  }
  await writeFileAtomic(targetPath(journalDir, run), `${JSON.stringify(live, null, 2)}\n`);
}

/** Runs the body as the only process of this journal that changes the skill. A path that nobody named is refused. */
export function holdingLive<T>(journalDir: string, live: LiveSkill, body: () => T): T {
  refuseUnnamed(live, journalDir);
  const locks = join(journalDir, "locks");
  makeFolder(locks, 0o700);
  const lock = holdProcessLock(join(locks, `skill-${liveName(live)}.db`), 0);
  if (lock === undefined) {
    throw new WhetstoneError("live-locked", `Another process is changing ${live.path}.`, {
      hint: "Run the command again when that process has ended; its lock ends with it.",
    });
  }
  try {
    return body();
  } finally {
    lock.release();
  }
}

/** Protects files outside the project that the person hasn't named, and everything behind a link. */
function refuseUnnamed(live: LiveSkill, journalDir: string): void {
  const project = projectOf(journalDir);
  const real = realFolder(live.path);
  if (real !== live.path)
    throw new WhetstoneError("live-changed", `${live.path} now leads through a link, to ${real}.`, {
      hint: "Restore what was there when the run began, or train the skill where it is now.",
    });
  if (isInState(journalDir)) return;
  if (isWithin(live.path, project) ? !isOfGit(project, live.path) : isNamed(live, project)) return;
  throw new WhetstoneError(
    "not-allowed",
    `${live.path} isn't a file of the project ${project}, and no run of yours was started on it.`,
    {
      hint: "Nothing was changed. If the file is yours, run the same `whetstone train` again (a finished run isn't paid twice), then adopt.",
    },
  );
}

/** The folder that a journal is about: the one that contains `.whetstone`. For a journal elsewhere, just its own folder. */
function projectOf(journalDir: string): string {
  const folder = realFolder(journalDir);
  return basename(folder) === ".whetstone" ? dirname(folder) : folder;
}

/** Git runs programs from its own folder, and a clone doesn't bring them along. */
const isOfGit = (project: string, path: string): boolean =>
  relative(project, path)
    .split(sep)
    .some((name) => name.toLowerCase() === ".git");

function isNamed(live: LiveSkill, project: string): boolean {
  const record = recordOf(live, project);
  return !isWithin(record, project) && readIfThere(record) !== undefined;
}

/** One file per project and path, so that runs side by side don't overwrite each other's. */
function recordOf({ path }: LiveSkill, project: string): string {
  return join(realFolder(stateFolder()), "live", `${hashText(`${project}\0${path}`).slice(0, 32)}.json`);
}
