import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { isCounted } from "../../core/cost.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { damageList } from "./damage-list.ts";
import { readHead } from "./head.ts";
import { translateJournalError } from "./journal-errors.ts";
import { connect, databasePath } from "./sqlite/open-sqlite.ts";
import { readDamaged } from "./sqlite/read-damaged.ts";
import { type CheckedRow, entryOf } from "./sqlite/sqlite-rows.ts";
import { checkSchema } from "./sqlite/sqlite-schema.ts";
import { verifySqlite } from "./sqlite/verify-sqlite.ts";

export interface JournalCheck {
  /** Rows that match their checksum, and how many of them are results and events. */
  readonly rows: number;
  readonly results: number;
  readonly events: number;
  /** One sentence per fault. Empty means that everything recorded is there and unchanged. */
  readonly damage: readonly string[];
  /** Numbers of intact rows that don't say their cost, which count as 0. Missing if there are none. */
  readonly uncounted?: readonly number[];
}

/** Whether a row's booking wasn't counted by anyone. */
export const isUncounted = ({ cost }: JsonObject): boolean => cost !== undefined && !isCounted(cost);

/** Reads a whole journal and reports its faults. Changes nothing. */
export async function checkSqlite(dir: string): Promise<JournalCheck> {
  const head = readHead(dir);
  const damage = damageList();
  const count = { rows: 0, results: 0, events: 0 };
  const uncounted: number[] = [];
  if (head === "missing" && !existsSync(databasePath(dir))) {
    throw new WhetstoneError("not-found", `No journal found in ${dir}.`, {
      hint: "Name the directory that contains `journal.db`.",
    });
  }
  if (typeof head === "string") damage.say(`journal.head is ${head}.`);
  if (!existsSync(databasePath(dir))) damage.say("journal.db is missing.");
  else walk();
  if (damage.list().length === 0) {
    // reading row by row doesn't check the indexes
    await verifySqlite(dir).catch((error: unknown) => damage.say(messageOf(error)));
  }
  return { ...count, damage: damage.list(), ...(uncounted.length === 0 ? {} : { uncounted }) };

  function walk(): void {
    let database: DatabaseSync | undefined;
    try {
      database = connect(dir, true);
      checkSchema(database, dir);
      for (const found of readDamaged(database, typeof head === "string" ? 0 : head.seq)) {
        if (found.kind === "lost") damage.rows(found.from, found.to, found.why);
        else note(found.row, found.follows);
      }
    } catch (error) {
      const translated = translateJournalError(error, dir);
      if (translated.code === "journal-version") throw translated;
      damage.say(messageOf(translated));
    } finally {
      database?.close();
    }
  }

  function note(row: CheckedRow, follows: boolean): void {
    count.rows += 1;
    if (row.kind !== "event" && isUncounted(entryOf(row).body)) uncounted.push(row.seq);
    if (row.kind === "result") count.results += 1;
    if (row.kind === "event") count.events += 1;
    if (!follows) damage.say(`Row ${row.seq} doesn't follow the row before it.`);
    if (typeof head !== "string" && row.seq === head.seq && row.chain !== head.chain) {
      damage.say(`Row ${row.seq} isn't the row recorded in journal.head.`);
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
