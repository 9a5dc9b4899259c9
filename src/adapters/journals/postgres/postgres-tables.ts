import { WhetstoneError } from "../../../core/errors.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { translatePostgresError } from "./postgres-errors.ts";
import { postgresSchema, postgresVersion } from "./postgres-schema.ts";

/** Creates missing tables, once, however many processes start. Tables of another version are left alone. */
export async function openTables(
  connection: PostgresConnection,
  { readOnly }: { readonly readOnly: boolean },
): Promise<void> {
  const { place } = connection;
  if (await hasTables((text) => connection.query(text), place)) return;
  if (readOnly)
    throw new WhetstoneError("not-found", `No journal found in ${place}.`, {
      hint: "Your first `whetstone train` creates one. Or name the database that contains yours.",
    });
  const session = await connection.openSession();
  try {
    await session.query("BEGIN");
    await session.query("SELECT pg_advisory_xact_lock(x'77686574'::int, 1)");
    if (!(await hasTables(async (text) => (await session.query<object>(text)).rows, place))) {
      const schema = await session.query("SELECT FROM pg_namespace WHERE nspname = 'whetstone'");
      if (schema.rowCount === 0) await session.query("CREATE SCHEMA whetstone");
      await session.query(postgresSchema);
    }
    await session.query("COMMIT");
  } catch (error) {
    throw translatePostgresError(error, place);
  } finally {
    await session.end().catch(() => undefined);
  }
}

async function hasTables(
  query: (text: string) => Promise<readonly object[]>,
  place: string,
): Promise<boolean> {
  const tables = await query("SELECT WHERE to_regclass('whetstone.meta') IS NOT NULL");
  if (tables.length === 0) return false;
  const [row] = await query("SELECT max(version) AS version FROM whetstone.meta");
  const found = Number((row as { readonly version: unknown }).version);
  if (found === postgresVersion) return true;
  throw new WhetstoneError(
    "journal-version",
    `The journal in ${place} was written by another version of Whetstone (format ${found}, this one reads ${postgresVersion}).`,
    { hint: "Use that version, or another database." },
  );
}
