import { crc32 } from "node:zlib";
import type { JsonObject } from "../../../core/json.ts";
import type { Entry, NewEntry } from "../../../core/ports/journal.ts";
import { isEntryKind } from "../journal-entry.ts";
import { unpackBody } from "./postgres-body.ts";
import { postgresDamaged } from "./postgres-errors.ts";

/** One row from PostgreSQL. Nothing in it is trusted until its checksum has been compared. */
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

/** The entry in a row. Throws `journal-damaged` if any of it was changed. */
export async function decodePostgresRow(row: PostgresRow, place: string): Promise<Entry> {
  const judged = await judgePostgresRow(row);
  if (typeof judged === "string") throw postgresDamaged(place, `row ${row.seq} is ${judged}`);
  return judged;
}

/** The entry in a row, or its fault. */
export async function judgePostgresRow(row: PostgresRow): Promise<Entry | string> {
  const seq = Number(row.seq);
  const { run, name } = row;
  const key = row.key.toString("hex");
  const kind = isEntryKind(row.kind) ? row.kind : undefined;
  if (
    kind === undefined ||
    storedSum(contentSum({ kind, run, key, name }, row.body), seq) !== Number(row.sum)
  )
    return "changed (checksum mismatch)";
  const text = await unpackBody(row.body);
  if (text === undefined) return "damaged (unreadable body)";
  const body: JsonObject = JSON.parse(text);
  return { seq, kind, run, key, name, body };
}

/** Covers everything but the number, which the server assigns. A result that came too late keeps its original sum. */
export function contentSum(entry: Omit<NewEntry, "body">, packed: Buffer): number {
  const kind = entry.kind === "duplicate" ? "result" : entry.kind;
  const fields = crc32(`${kind}\n${entry.run}\n${entry.key}\n${entry.name}\n`);
  return crc32(packed, fields);
}

/** The stored sum, as `append` computes it, so that a changed number doesn't match either. */
export const storedSum = (content: number, seq: number): number => Number(BigInt(content) ^ BigInt(seq));
