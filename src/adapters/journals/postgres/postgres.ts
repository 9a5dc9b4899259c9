import { WhetstoneError } from "../../../core/errors.ts";
import type { Entry, Journal, Lock, NewEntry } from "../../../core/ports/journal.ts";
import { batchWrites } from "../batch-writes.ts";
import { openedReadOnly } from "../journal-errors.ts";
import { checkRunRows, checkTail } from "./postgres-check.ts";
import { connectPostgres, type PostgresConnection } from "./postgres-connection.ts";
import { postgresAppend } from "./postgres-append.ts";
import { postgresLocks } from "./postgres-locks.ts";
import { openTables } from "./postgres-tables.ts";
import { postgresReads } from "./postgres-read.ts";
import { resultsInUse } from "../results-in-use.ts";

/** Options of a journal in PostgreSQL. */
export interface PostgresJournalOptions {
  /** `postgres://user@host:port/database`. */
  readonly url: string;
  /** Never creates or changes anything. @default false */
  readonly readOnly?: boolean;
}

/**
 * The journal of a fleet: one database for many runs, coordinators and workers.
 *
 * @example
 * const journal = await postgresJournal({ url: "postgres://localhost/whetstone" });
 * await train({ skill: "./SKILL.md", tasks: "./tasks.jsonl", journal });
 * await journal.close();
 */
export async function postgresJournal({ url, readOnly = false }: PostgresJournalOptions): Promise<Journal> {
  const connection = await connectPostgres(url);
  const { place } = connection;
  const locks = postgresLocks(connection);
  const inUse = resultsInUse((run) => locks.holders.has(run));
  const reads = postgresReads(connection, inUse);
  try {
    await refuseEncoding(connection);
    await openTables(connection, { readOnly });
    reads.noteDurable(await checkTail(connection));
    if (!readOnly) await forgetOldWriters(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  connection.bePatient();
  const batches = batchWrites({
    flush: postgresAppend(connection, { reads, holders: locks.holders, inUse }),
    place,
  });
  let closing: Promise<void> | undefined;

  return {
    get: (key) => reads.get(key),
    write,
    read: (filter = {}) => reads.read(filter),
    lock,
    close: () => (closing ??= closeAll()),
  };

  async function write(entry: NewEntry): Promise<Entry> {
    if (readOnly) throw openedReadOnly(place);
    return batches.add(entry);
  }

  async function lock(run: string): Promise<Lock> {
    if (readOnly) throw openedReadOnly(place);
    const held = await locks.lock(run);
    try {
      reads.noteDurable(await checkTail(connection));
      await checkRunRows(connection, run);
      return held;
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  async function closeAll(): Promise<void> {
    await batches.close();
    connection.giveUp();
    await locks.close();
    await connection.close();
  }
}

async function refuseEncoding(connection: PostgresConnection): Promise<void> {
  const [row] = await connection.query<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  if (row?.encoding === "UTF8") return;
  throw new WhetstoneError(
    "config-invalid",
    `The database ${connection.place} uses the encoding ${row?.encoding ?? "something"}, not UTF8.`,
    { hint: "Create one with UTF8: createdb -E UTF8 -T template0 <name>" },
  );
}

/** A batch isn't repeated after a month. */
async function forgetOldWriters(connection: PostgresConnection): Promise<void> {
  await connection.query("DELETE FROM whetstone.writers WHERE at < now() - interval '30 days'");
}
