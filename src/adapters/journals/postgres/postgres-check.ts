import type { PostgresConnection } from "./postgres-connection.ts";
import { postgresDamaged } from "./postgres-errors.ts";

/** The number of the last row, which must be the last one confirmed. Afterwards it is on disk. */
export async function checkTail(connection: PostgresConnection): Promise<number> {
  return connection.using(async (client) => {
    const { last, fault } = await readTail(async (text) => (await client.query<object>(text)).rows);
    if (fault !== undefined) throw postgresDamaged(connection.place, fault);
    await client.query("SELECT whetstone.flush(NULL, NULL)");
    return last;
  });
}

export interface Tail {
  readonly last: number;
  readonly fault?: string;
}

/** Garbage collection leaves the last row in place, so that the end can always be checked. */
export async function readTail(ask: Ask): Promise<Tail> {
  const [row] = await ask(
    `SELECT (SELECT seq FROM whetstone.head) AS head,
      greatest((SELECT max(seq) FROM whetstone.log), (SELECT max(seq) FROM whetstone.results), 0) AS last`,
    [],
  );
  const found = row as { readonly head: string | null; readonly last: string };
  const [head, last] = [Number(found.head ?? -1), Number(found.last)];
  if (head === last) return { last };
  return { last, fault: `it ends at row ${last}, but the last recorded row was ${Math.max(head, 0)}` };
}

/** Throws if the rows of a run, or of any run, don't match the recorded counts. Content is checked when it is read. */
export async function checkRunRows(connection: PostgresConnection, run?: string): Promise<void> {
  const [fault] = await findRunFaults((text, values) => connection.query(text, values), run);
  if (fault !== undefined) throw postgresDamaged(connection.place, fault);
}

export type Ask = (text: string, values: readonly unknown[]) => Promise<readonly object[]>;

interface RunCounts {
  readonly run: string;
  readonly entries: string;
  readonly found: string;
}

/** Compares rows and their checksums with the recorded counts, in one snapshot. */
export async function findRunFaults(ask: Ask, run?: string): Promise<readonly string[]> {
  const [where, values] = run === undefined ? ["", []] : ["WHERE run = $1", [run]];
  const rows = await ask(
    `SELECT run, coalesce(entries, 0) AS entries, coalesce(found, 0) AS found
    FROM (SELECT run, entries, sums FROM whetstone.runs ${where}) noted
    FULL JOIN (
      SELECT run, count(*) AS found, sum(sum) AS found_sums FROM (
        SELECT run, sum FROM whetstone.log ${where} UNION ALL SELECT run, sum FROM whetstone.results ${where}
      ) rows GROUP BY run
    ) found USING (run)
    WHERE coalesce(entries, 0) <> coalesce(found, 0) OR coalesce(sums, 0) <> coalesce(found_sums, 0) ORDER BY run`,
    values,
  );
  return (rows as readonly RunCounts[]).map((row) =>
    row.entries === row.found
      ? `the rows of run ${row.run} aren't the recorded ones`
      : `run ${row.run} has ${row.found} rows, but ${row.entries} were recorded`,
  );
}
