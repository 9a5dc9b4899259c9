import { copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { loadSqlite } from "../journals/sqlite/load-sqlite.ts";

/**
 * Reads an agent's database without touching it: we take no lock and create no side file, which SQLite would do even
 * for a reader. If the agent has it open, we read a copy. Undefined if there is none.
 */
export async function readDatabase<Read>(
  path: string,
  read: (database: DatabaseSync) => Read,
): Promise<Read | undefined> {
  if ((await stateOf(path)) === undefined) return undefined;
  if (!(await isInUse(path))) {
    const url = pathToFileURL(path);
    url.search = "immutable=1";
    return readAt(url, read);
  }
  const folder = await mkdtemp(join(tmpdir(), "whetstone-copy-"));
  try {
    return readAt(pathToFileURL(await copyInto(folder, path)), read);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readAt<Read>(url: URL, read: (database: DatabaseSync) => Read): Read {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(url, { readOnly: url.search !== "" });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** Data not yet in the database itself: the log of newer transactions, or pages an unfinished one replaced. */
const sideFiles = ["-wal", "-journal"];

async function isInUse(path: string): Promise<boolean> {
  const states = await Promise.all(sideFiles.map((ending) => stateOf(path + ending)));
  return states.some((state) => state !== undefined && !state.startsWith("0 "));
}

/** The database and its side files as they were at one moment. The last try is used as it is. */
async function copyInto(folder: string, path: string): Promise<string> {
  const copy = join(folder, "copy.db");
  for (let tries = 0; tries < 5; tries++) {
    const before = await statesOf(path);
    for (const ending of ["", ...sideFiles]) {
      await rm(copy + ending, { force: true });
      if ((await stateOf(path + ending)) !== undefined) await copyFile(path + ending, copy + ending);
    }
    if ((await statesOf(path)) === before) break;
  }
  return copy;
}

const statesOf = async (path: string): Promise<string> =>
  (await Promise.all(["", ...sideFiles].map((ending) => stateOf(path + ending)))).join();

async function stateOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && `${found.size} ${found.mtimeMs}`;
}
