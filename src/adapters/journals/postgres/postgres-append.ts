import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../../core/ports/journal.ts";
import type { EncodedEntry } from "../batch-writes.ts";
import { packBody } from "./postgres-body.ts";
import { droppedKeys, postgresDamaged, resultDropped } from "./postgres-errors.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { PostgresReads } from "./postgres-read.ts";
import { contentSum } from "./postgres-rows.ts";
import type { ResultsInUse } from "../results-in-use.ts";

export interface AppendOptions {
  readonly reads: PostgresReads;
  /** The runs that this process may continue, with its proof for each. */
  readonly holders: ReadonlyMap<string, string>;
  readonly inUse: ResultsInUse;
}

/** One transaction for a batch, then the disk. A batch sent again, because its answer was lost, is stored once. */
export function postgresAppend(connection: PostgresConnection, { reads, holders, inUse }: AppendOptions) {
  const writer = randomUUID();
  let number = 0;

  return append;

  async function append(batch: readonly EncodedEntry[]): Promise<Entry[]> {
    try {
      return await appendOnce(batch);
    } catch (error) {
      const keys = droppedKeys(error);
      if (keys === undefined) throw error;
      const again = keys.map((key) => inUse.find(key));
      if (!again.every((entry) => entry !== undefined)) throw error;
      // results were dropped between our lookup and our write, so we record them again together with their use
      const brought = again.map((entry) => ({ entry, body: JSON.stringify(entry.body) }));
      return (await append([...brought, ...batch])).slice(brought.length);
    }
  }

  async function appendOnce(batch: readonly EncodedEntry[]): Promise<Entry[]> {
    number += 1;
    const packed = await Promise.all(
      batch.map(async ({ entry, body: text }) => {
        const body = await packBody(text);
        return { body, sum: contentSum(entry, body) };
      }),
    );
    const held = [...holders].filter(([run]) => batch.some(({ entry }) => entry.run === run));
    const values = [
      writer,
      number,
      batch.map(({ entry }) => entry.kind),
      batch.map(({ entry }) => entry.run),
      batch.map(({ entry }) => Buffer.from(entry.key, "hex")),
      batch.map(({ entry }) => entry.name),
      packed.map(({ body }) => body),
      packed.map(({ sum }) => sum),
      held.map(([run]) => run),
      held.map(([, holder]) => holder),
    ];
    let answer = await send(values);
    // the server may have crashed in between and lost a batch that we hadn't confirmed yet
    while (!(await isOnDisk())) answer = await send(values);
    const { first, lost } = answer;
    reads.noteDurable(first + batch.length - 1);
    await confirmUses(batch.flatMap(({ entry }) => (entry.kind === "use" ? [entry.key] : [])));
    return Promise.all(
      batch.map(async ({ entry }, at) =>
        lost.has(at + 1) ? winnerOf(entry.key) : { ...entry, seq: first + at },
      ),
    );
  }

  async function send(values: readonly unknown[]) {
    const [row] = await connection.query<{ first_seq: string; lost: readonly string[] }>(appendCall, values);
    if (row === undefined) throw new TypeError("append answers with one row");
    return { first: Number(row.first_seq), lost: new Set(row.lost.map(Number)) };
  }

  async function isOnDisk(): Promise<boolean> {
    const [row] = await connection.query<{ flush: boolean }>("SELECT whetstone.flush($1, $2)", [
      writer,
      number,
    ]);
    return row?.flush === true;
  }

  /** Once recorded, results in use can't be dropped. But another run may have replaced one since our lookup. */
  async function confirmUses(keys: readonly string[]): Promise<void> {
    const seen = keys.flatMap((key) => inUse.find(key) ?? []);
    if (seen.length === 0) return;
    const rows = await connection.query<{ key: Buffer; seq: string }>(
      "SELECT key, seq FROM whetstone.results WHERE key = ANY ($1)",
      [seen.map(({ key }) => Buffer.from(key, "hex"))],
    );
    const kept = new Map(rows.map(({ key, seq }) => [key.toString("hex"), Number(seq)]));
    for (const { key, seq, body } of seen) {
      // a result recorded again has another number
      if (kept.get(key) !== seq && !isDeepStrictEqual((await reads.get(key))?.body, body))
        throw resultDropped(connection.place);
      inUse.forget(key);
    }
  }

  async function winnerOf(key: string): Promise<Entry> {
    const winner = await reads.get(key);
    if (winner === undefined) throw postgresDamaged(connection.place, `the result for ${key} is gone`);
    return winner;
  }
}

const parameterTypes = "uuid, bigint, text[], text[], bytea[], text[], bytea[], bigint[], text[], uuid[]";
const appendCall = `SELECT * FROM whetstone.append(${parameterTypes
  .split(", ")
  .map((type, at) => `$${at + 1}::${type}`)
  .join(", ")})`;
