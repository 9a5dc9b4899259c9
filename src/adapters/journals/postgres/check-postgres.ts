import { type JournalCheck, isUncounted } from "../check.ts";
import { damageList } from "../damage-list.ts";
import { type Ask, findRunFaults, readTail } from "./postgres-check.ts";
import { connectPostgres } from "./postgres-connection.ts";
import { translatePostgresError } from "./postgres-errors.ts";
import { openTables } from "./postgres-tables.ts";
import { pageQuery, pageRows } from "./postgres-read.ts";
import { judgePostgresRow, type PostgresRow } from "./postgres-rows.ts";

/**
 * Reads a whole journal in one snapshot while others write: row checksums, each run's row count, and the end.
 * Read-only.
 */
export async function checkPostgres(url: string): Promise<JournalCheck> {
  const connection = await connectPostgres(url, { answerMs: 0 });
  const damage = damageList();
  const count = { rows: 0, results: 0, events: 0 };
  const uncounted: number[] = [];
  try {
    await openTables(connection, { readOnly: true });
    const session = await connection.openSession();
    try {
      await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await check(async (text, values) => (await session.query<object>(text, [...values])).rows);
    } catch (error) {
      const translated = translatePostgresError(error, connection.place);
      if (translated.code !== "journal-damaged") throw translated;
      damage.say(translated.message);
    } finally {
      await session.end().catch(() => undefined);
    }
  } finally {
    await connection.close();
  }
  return { ...count, damage: damage.list(), ...(uncounted.length === 0 ? {} : { uncounted }) };

  async function check(ask: Ask): Promise<void> {
    const judge = async (row: PostgresRow) => ({ seq: Number(row.seq), judged: await judgePostgresRow(row) });
    const { sql = "" } = pageQuery({});
    for (let after = 0, isLast = false; !isLast; ) {
      const rows = (await ask(sql, [after])) as readonly PostgresRow[];
      for (const { seq, judged } of await Promise.all(rows.map(judge))) {
        after = seq;
        if (typeof judged === "string") {
          damage.rows(seq, seq, judged);
          continue;
        }
        count.rows += 1;
        if (judged.kind === "result") count.results += 1;
        if (judged.kind === "event") count.events += 1;
        else if (isUncounted(judged.body)) uncounted.push(seq);
      }
      isLast = rows.length < pageRows;
    }
    const { fault } = await readTail(ask);
    for (const each of [...(await findRunFaults(ask)), ...(fault === undefined ? [] : [fault])])
      damage.say(`${each.charAt(0).toUpperCase()}${each.slice(1)}.`);
  }
}
