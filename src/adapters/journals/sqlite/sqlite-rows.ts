import type { JsonObject } from "../../../core/json.ts";
import type { Entry } from "../../../core/ports/journal.ts";
import { entrySum, entryText } from "../entry-sum.ts";
import { isEntryKind } from "../journal-entry.ts";

/** One row from SQLite. Nothing in it is trusted until its checksum has been compared. */
export type RawRow = Readonly<Record<string, unknown>>;

/** A row that matches its checksum, with its body still encoded. */
export interface CheckedRow extends Omit<Entry, "body"> {
  readonly body: string;
  /** The text the checksum covers. */
  readonly text: string;
  readonly sum: number;
  readonly chain: number;
}

export const rowColumns = "seq, kind, run, lower(hex(key)) AS key, name, body, sum, chain";

/** Undefined if the row doesn't match its checksum. */
export function checkRow({ seq, kind, run, key, name, body, sum, chain }: RawRow): CheckedRow | undefined {
  if (typeof seq !== "number" || typeof sum !== "number" || typeof chain !== "number") return undefined;
  if (typeof run !== "string" || typeof key !== "string" || typeof name !== "string") return undefined;
  if (typeof body !== "string" || typeof kind !== "string" || !isEntryKind(kind)) return undefined;
  const text = entryText(seq, { kind, run, key, name }, body);
  return entrySum(text) === sum ? { seq, kind, run, key, name, body, text, sum, chain } : undefined;
}

export function entryOf({ seq, kind, run, key, name, body }: CheckedRow): Entry {
  const parsed: JsonObject = JSON.parse(body);
  return { seq, kind, run, key, name, body: parsed };
}
