import type { DatabaseSync } from "node:sqlite";
import { WhetstoneError } from "../../../core/errors.ts";
import { journalDamaged } from "../journal-errors.ts";

const version = 1;

// `by_run` and `by_name` include the row number implicitly, so each run and name is in order
const definitions = {
  by_name: "CREATE INDEX by_name ON entries(name) WHERE kind = 'event'",
  by_run: "CREATE INDEX by_run ON entries(run, kind)",
  entries:
    "CREATE TABLE entries(seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, run TEXT NOT NULL, key BLOB NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL, chain INTEGER NOT NULL)",
  meta: "CREATE TABLE meta(version INTEGER NOT NULL)",
  results: "CREATE UNIQUE INDEX results ON entries(key) WHERE kind = 'result'",
} as const;

export function createSchema(database: DatabaseSync): void {
  const { entries, meta, by_name, by_run, results } = definitions;
  database.exec([entries, meta, by_name, by_run, results].join(";\n"));
  database.exec(`INSERT INTO meta VALUES (${version})`);
}

/** A flipped bit in the schema can change the meaning of a query, so the text must be exactly ours. */
export function checkSchema(database: DatabaseSync, dir: string): void {
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all();
  const schema = Object.fromEntries(rows.map((row) => [row["name"], row["sql"]]));
  // a different `meta` could be an endless view
  const isMeta = schema["meta"] === definitions.meta;
  const found = isMeta ? database.prepare("SELECT version FROM meta").get()?.["version"] : undefined;
  if (typeof found === "number" && found > version) {
    throw new WhetstoneError(
      "journal-version",
      `The journal in ${dir} was written by a newer Whetstone (format ${found}, this one reads ${version}).`,
      { hint: "Update Whetstone, or use another journal directory." },
    );
  }
  if (found !== version || JSON.stringify(schema) !== JSON.stringify(definitions)) {
    throw journalDamaged(dir, "its tables aren't the ones Whetstone created");
  }
}
