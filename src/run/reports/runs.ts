import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import { decidedPath, isRejecting, readDecided } from "../offer/decided.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Entry, Journal } from "../../core/ports/journal.ts";
import { type RunReader, type RunState, createRunReader } from "../../report/run-state.ts";
import { isWithin } from "../../adapters/project-matcher.ts";
import { readArtifact } from "./read-artifact.ts";

/** The runs of a journal, the most recently active last. */
export async function listRuns(journal: Journal): Promise<readonly RunState[]> {
  const readers = new Map<string, RunReader>();
  const names = ["run-start", "stage-end", "step-start", "step-end", "run-end", "run-removed"];
  for await (const entry of journal.read({ kinds: ["event"], names })) {
    const reader = readers.get(entry.run) ?? createRunReader();
    reader.add(eventOf(entry));
    readers.delete(entry.run);
    if (entry.name !== "run-removed") readers.set(entry.run, reader);
  }
  return [...readers.values()].flatMap((reader) => reader.state() ?? []);
}

/** One run from all of its events; given by the beginning of its id, or the latest one. */
export async function readRun(journal: Journal, id?: string): Promise<RunState> {
  const { run } = await findRun(journal, id);
  const reader = createRunReader();
  for await (const entry of journal.read({ run, kinds: ["event"] })) reader.add(eventOf(entry));
  const state = reader.state();
  if (state === undefined) throw noRun(id);
  return state;
}

/**
 * The folder that a run's artifacts are read back from. Only the journal's folder is trusted: a run also names its export
 * folder, but anybody may have written there.
 */
export const recordFolder = (
  journalDir: string,
  { run, folder }: Pick<RunState, "run" | "folder">,
): string => (isWithin(resolve(folder), resolve(journalDir)) ? folder : join(journalDir, "runs", run));

/** The texts of a run's skill before and after, file by file; undefined until there's a result. */
export async function readSkills(folder: string): Promise<readonly SkillFile[] | undefined> {
  const before = await readExported(join(folder, "skills", "skill_v0000"), folder);
  const after = await readExported(join(folder, "best_skill"), folder);
  if (before === undefined || after === undefined) return undefined;
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .toSorted()
    .map((path) => ({ path, before: before.get(path) ?? "", after: after.get(path) ?? "" }));
}

export interface SkillFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface RemovedRun {
  readonly run: string;
  /** The folder of exported artifacts, and whether it was deleted too; folders outside the journal are left alone. */
  readonly folder: string;
  readonly deleted: boolean;
  /** Whether a person had rejected any of it. */
  readonly isRejecting: boolean;
}

/** Forgets a run. Its results stay in the journal until `gc`. */
export async function removeRun(journal: Journal, journalDir: string, id: string): Promise<RemovedRun> {
  const state = await readRun(journal, id);
  const { run, folder, seq } = state;
  const lock = await journal.lock(run);
  try {
    const body = { v: 1, seq: seq + 1, at: Date.now() };
    await journal.write({ kind: "event", run, key: "", name: "run-removed", body });
    const record = recordFolder(journalDir, state);
    await rm(record, { recursive: true, force: true });
    // decisions contain a person's words, and are useless without the proposal
    const forgetsRejection = hadRejection(journalDir, run);
    await rm(decidedPath(journalDir, run), { force: true });
    const deleted = resolve(folder) === resolve(record);
    return { run, folder, deleted, isRejecting: forgetsRejection };
  } finally {
    await lock.release();
  }
}

/** A damaged file counts as a rejection, and mustn't prevent the removal of its run. */
function hadRejection(journalDir: string, run: string): boolean {
  try {
    return isRejecting(readDecided(journalDir, run));
  } catch {
    return true;
  }
}

/** Whether `listRuns` leaves a run out because it was removed, or never really begun. */
export async function isRemoved(journal: Journal, run: string): Promise<boolean> {
  let last = "";
  const names = ["run-start", "run-removed"];
  for await (const { name } of journal.read({ run, kinds: ["event"], names })) last = name;
  return last !== "run-start";
}

/** The event in an entry of the journal. */
export const eventOf = ({ run, name, body }: Entry): RunEvent =>
  ({ ...body, run, type: name }) as unknown as RunEvent;

/** The run whose id begins with `id`, or the latest one, from its main events only. */
export async function findRun(journal: Journal, id: string | undefined): Promise<RunState> {
  const runs = await listRuns(journal);
  const found = id === undefined ? runs.slice(-1) : runs.filter(({ run }) => run.startsWith(id));
  const [only, second] = found;
  if (only === undefined) throw noRun(id);
  if (second === undefined) return only;
  throw new WhetstoneError(
    "usage",
    `"${id}" matches ${found.length} runs: ${found.map(({ run }) => run).join(", ")}.`,
    {
      hint: "Give more of the id.",
    },
  );
}

const noRun = (id: string | undefined): WhetstoneError =>
  id === undefined
    ? new WhetstoneError("not-found", "No run exists yet.", {
        hint: "`whetstone demo` makes one without a key.",
      })
    : new WhetstoneError("not-found", `No run begins with "${id}".`, {
        hint: "`whetstone runs` lists them.",
      });

/** `name.md`, or all files of the folder `name`. */
async function readExported(path: string, folder: string): Promise<ReadonlyMap<string, string> | undefined> {
  const single = await readArtifact(`${path}.md`, folder);
  if (single !== undefined) return new Map([["SKILL.md", single.toString()]]);
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return undefined;
  const files = new Map<string, string>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readArtifact(file, folder);
    if (bytes !== undefined) files.set(file.slice(path.length + 1), bytes.toString());
  }
  return files.size === 0 ? undefined : files;
}
