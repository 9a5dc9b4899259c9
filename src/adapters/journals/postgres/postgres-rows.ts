import { crc32 } from "node:zlib";
import type { JsonObject } from "../../../core/json.ts";
import type { Entry, NewEntry } from "../../../core/ports/journal.ts";
import { isEntryKind } from "../journal-entry.ts";
import { unpackBody } from "./postgres-body.ts";
import { postgresDamaged } from "./postgres-errors.ts";

/** One row as PostgreSQL gives it: nothing in it is trusted before its checksum was compared. */
export interface PostgresRow {
  readonly seq: string;
  readonly kind: string;
  readonly run: string;
  readonly key: Buffer;
  readonly name: string;
  readonly body: Buffer;
  readonly sum: string;
}

export const resultColumns = "seq, 'result' AS kind, run, key, name, body, sum";
export const logColumns = "seq, kind, run, key, name, body, sum";

/** The entry in a row. Throws `journal-damaged` when anything of it was changed. */
export async function decodePostgresRow(row: PostgresRow, place: string): Promise<Entry> {
  const judged = await judgePostgresRow(row);
  if (typeof judged === "string") throw postgresDamaged(place, `row ${row.seq} is ${judged}`);
  return judged;
}

/** The entry in a row, or what is wrong with it. */
export async function judgePostgresRow(row: PostgresRow): Promise<Entry | string> {
  const seq = Number(row.seq);
  const { run, name } = row;
  const key = row.key.toString("hex");
  const kind = isEntryKind(row.kind) ? row.kind : undefined;
  if (
    kind === undefined ||
    storedSum(contentSum({ kind, run, key, name }, row.body), seq) !== Number(row.sum)
  )
    return "not what the checksum says";
  const text = await unpackBody(row.body);
  if (text === undefined) return "without a readable body";
  const body: JsonObject = JSON.parse(text);
  return { seq, kind, run, key, name, body };
}

/** Covers all but the number, which the server gives; a result that came too late keeps the sum it came with. */
export function contentSum(entry: Omit<NewEntry, "body">, packed: Buffer): number {
  const kind = entry.kind === "duplicate" ? "result" : entry.kind;
  const fields = crc32(`${kind}\n${entry.run}\n${entry.key}\n${entry.name}\n`);
  return crc32(packed, fields);
}

/** What stands in the row, as `append` computes it: a changed number does not fit either. */
export const storedSum = (content: number, seq: number): number => Number(BigInt(content) ^ BigInt(seq));
