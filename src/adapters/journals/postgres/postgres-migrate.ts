import type { Client } from "pg";
import { WhetstoneError } from "../../../core/errors.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { translatePostgresError } from "./postgres-errors.ts";
import { postgresMigrations } from "./postgres-schema.ts";

export interface MigrationOptions {
  readonly readOnly: boolean;
  /** The steps from an empty database to this version. */
  readonly steps?: readonly string[];
}

/** Brings the tables up to this version, each step once however many processes start; a newer version is left alone. */
export async function migratePostgres(
  connection: PostgresConnection,
  { readOnly, steps = postgresMigrations }: MigrationOptions,
): Promise<void> {
  const { place } = connection;
  const found = await readVersion((text) => connection.query(text));
  if (found === steps.length) return;
  refuseNewer(place, found, steps.length);
  if (readOnly) throw found === 0 ? nothingHere(place) : olderVersion(place, found, steps.length);
  const session = await connection.openSession();
  try {
    await migrate(session, place, steps);
  } catch (error) {
    throw translatePostgresError(error, place);
  } finally {
    await session.end().catch(() => undefined);
  }
}

/** 0 where there are no tables yet. */
async function readVersion(query: (text: string) => Promise<readonly object[]>): Promise<number> {
  const tables = await query("SELECT WHERE to_regclass('whetstone.meta') IS NOT NULL");
  if (tables.length === 0) return 0;
  const [row] = await query("SELECT max(version) AS version FROM whetstone.meta");
  return Number((row as { readonly version: unknown }).version);
}

/** One transaction for all steps: a journal is never half of two versions. */
async function migrate(session: Client, place: string, steps: readonly string[]): Promise<void> {
  await session.query("BEGIN");
  await session.query("SELECT pg_advisory_xact_lock(x'77686574'::int, 1)");
  const found = await readVersion(async (text) => (await session.query<object>(text)).rows);
  refuseNewer(place, found, steps.length);
  if (found === 0) {
    const schema = await session.query("SELECT FROM pg_namespace WHERE nspname = 'whetstone'");
    if (schema.rowCount === 0) await session.query("CREATE SCHEMA whetstone");
    await session.query("CREATE TABLE whetstone.meta (version integer NOT NULL)");
  }
  for (const [at, step] of steps.entries()) {
    if (at < found) continue;
    await session.query(step);
    await session.query("INSERT INTO whetstone.meta VALUES ($1)", [at + 1]);
  }
  await session.query("COMMIT");
}

function refuseNewer(place: string, found: number, known: number): void {
  if (found <= known) return;
  throw new WhetstoneError(
    "journal-version",
    `The journal in ${place} was written by a newer Whetstone (format ${found}, this one reads ${known}).`,
    { hint: "Update Whetstone, or use another database." },
  );
}

const olderVersion = (place: string, found: number, known: number): WhetstoneError =>
  new WhetstoneError(
    "journal-version",
    `The journal in ${place} was written by an older Whetstone (format ${found}, this one reads ${known}).`,
    { hint: "The next command that writes, such as `whetstone train`, brings it up to date." },
  );

const nothingHere = (place: string): WhetstoneError =>
  new WhetstoneError("not-found", `There is no journal in ${place}.`, {
    hint: "A first `whetstone train` makes one; or name the database that holds yours.",
  });
