import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClientBase } from "pg";
import type { Entry, ReadFilter } from "../../../core/ports/journal.ts";
import { gatherLookups } from "../gather-lookups.ts";
import { entryKinds, matchesFilter } from "../journal-entry.ts";
import { checkRunRows } from "./postgres-check.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { decodePostgresRow, logColumns, type PostgresRow, resultColumns } from "./postgres-rows.ts";
import type { ResultsInUse } from "../results-in-use.ts";

export interface PostgresReads {
  get(key: string): Promise<Entry | undefined>;
  read(filter: ReadFilter): AsyncGenerator<Entry>;
  /** Everything up to this number is known to be on disk. */
  noteDurable(seq: number): void;
}

const flush = "SELECT whetstone.flush(NULL, NULL)";

/** Never returns rows a server crash could take back: rows not yet known to be on disk are flushed first. */
export function postgresReads(connection: PostgresConnection, inUse: ResultsInUse): PostgresReads {
  const { place } = connection;
  let durable = 0;
  const noteDurable = (seq: number): void => void (durable = Math.max(durable, seq));

  const findResult = gatherLookups(async (keys) => {
    const rows = await fetchRows(
      `SELECT ${resultColumns} FROM whetstone.results WHERE key = ANY ($1)`,
      keys.map((key) => Buffer.from(key, "hex")),
    );
    return new Map(rows.map((row) => [row.key.toString("hex"), row]));
  });

  return {
    get: async (key) => {
      const row = await findResult(key);
      if (row === undefined) return undefined;
      const entry = await decodePostgresRow(row, place);
      inUse.note(entry);
      return entry;
    },
    read,
    noteDurable,
  };

  async function* read(filter: ReadFilter): AsyncGenerator<Entry> {
    const { sql, values, isComplete } = pageQuery(filter);
    if (sql === undefined) return;
    let after = filter.after ?? 0;
    let mayHaveGaps = !isComplete;
    for (;;) {
      const rows = await fetchRows(sql, after, ...values);
      for (const entry of await Promise.all(rows.map((row) => decodePostgresRow(row, place)))) {
        // after removed runs were dropped, gaps are fine; otherwise the counts don't match
        if (!mayHaveGaps && entry.seq !== after + 1) {
          await checkRunRows(connection);
          mayHaveGaps = true;
        }
        after = entry.seq;
        if (matchesFilter(entry, filter)) yield entry;
      }
      if (rows.length < pageRows) return;
      await nextTurn();
    }
  }

  function fetchRows(sql: string, ...values: readonly unknown[]): Promise<readonly PostgresRow[]> {
    // one session, which a crash would break: a later session doesn't know what was lost
    return connection.using(async (client: ClientBase) => {
      const { rows } = await client.query<PostgresRow>(sql, [...values]);
      const newest = rows.reduce((seq, row) => Math.max(seq, Number(row.seq)), 0);
      if (newest > durable) {
        await client.query(flush);
        noteDurable(newest);
      }
      return rows;
    });
  }
}

// small enough for entries of a megabyte
export const pageRows = 100;

export interface PageQuery {
  /** One page of the entries with a number above `$1`; undefined if nothing can match. */
  readonly sql: string | undefined;
  /** From `$2` on. */
  readonly values: readonly unknown[];
  /** The answer includes every row from `$1` on, so that gaps are visible. */
  readonly isComplete: boolean;
}

/**
 * The answer may contain more than the filter asks for: `matchesFilter` decides. Each arm follows one index by number
 * and stops at the page size.
 */
export function pageQuery({ run, kinds, names }: ReadFilter): PageQuery {
  const wanted = entryKinds.filter((kind) => kinds?.includes(kind) ?? true);
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value) + 1}`;
  const arms: string[] = [];
  const logArm = (where: string) => arms.push(arm(logColumns, "log", where));
  const resultArm = (where: string) => arms.push(arm(resultColumns, "results", where));
  const isByName = run === undefined && names !== undefined && !names.includes("");

  if (names?.length === 0) return { sql: undefined, values, isComplete: false };
  if (run !== undefined) {
    const inRun = `run = ${bind(run)}${names === undefined ? "" : ` AND name = ANY (${bind(names)})`}`;
    for (const kind of wanted) {
      if (kind === "result") resultArm(inRun);
      else logArm(`${inRun} AND kind = '${kind}'`);
    }
  } else if (isByName) {
    if (wanted.includes("event")) for (const name of names) logArm(`kind = 'event' AND name = ${bind(name)}`);
  } else {
    const logged = wanted.filter((kind) => kind !== "result");
    if (logged.length < wanted.length) resultArm("true");
    if (logged.length === entryKinds.length - 1) logArm("true");
    else if (logged.length > 0) logArm(`kind IN (${logged.map((kind) => `'${kind}'`).join(", ")})`);
  }
  return {
    sql:
      arms.length === 0
        ? undefined
        : `SELECT * FROM (${arms.join(" UNION ALL ")}) page ORDER BY seq LIMIT ${pageRows}`,
    values,
    isComplete: run === undefined && !isByName && wanted.length === entryKinds.length,
  };
}

const arm = (columns: string, table: string, where: string): string =>
  `(SELECT ${columns} FROM whetstone.${table} WHERE ${where} AND seq > $1 ORDER BY seq LIMIT ${pageRows})`;
