import type { PostgresConnection } from "./postgres-connection.ts";
import { postgresDamaged } from "./postgres-errors.ts";

/** The number of the last row, which must be the one that was promised last; it is on disk afterwards. */
export async function checkTail(connection: PostgresConnection): Promise<number> {
  return connection.using(async (client) => {
    const { rows } = await client.query<{ head: string | null; last: string }>(`SELECT
      (SELECT seq FROM whetstone.head) AS head,
      greatest((SELECT max(seq) FROM whetstone.log), (SELECT max(seq) FROM whetstone.results), 0) AS last`);
    const [head, last] = [Number(rows[0]?.head ?? -1), Number(rows[0]?.last)];
    if (head !== last)
      throw postgresDamaged(
        connection.place,
        `it ends at row ${last} although ${Math.max(head, 0)} rows were recorded`,
      );
    await client.query("SELECT whetstone.flush(NULL, NULL)");
    return last;
  });
}

/** Counts the rows of a run and their checksums against what was noted as they came. What a row holds is checked when it is read. */
export async function checkRunRows(connection: PostgresConnection, run: string): Promise<void> {
  const [row] = await connection.query<{ entries: string; found: string; fits: boolean }>(
    `SELECT r.entries, f.found, r.entries = f.found AND r.sums = f.sums AS fits
    FROM whetstone.runs r, (
      SELECT count(*) AS found, coalesce(sum(sum), 0) AS sums FROM (
        SELECT sum FROM whetstone.log WHERE run = $1 UNION ALL SELECT sum FROM whetstone.results WHERE run = $1
      ) rows
    ) f WHERE r.run = $1`,
    [run],
  );
  if (row === undefined || row.fits) return;
  throw postgresDamaged(
    connection.place,
    row.entries === row.found
      ? `rows of run ${run} are not the ones that were recorded`
      : `run ${run} has ${row.found} rows although ${row.entries} were recorded`,
  );
}
