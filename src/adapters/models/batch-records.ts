import { hashText } from "../../core/canonical.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Entry, Journal } from "../../core/ports/journal.ts";
import type { BatchRecord } from "./batch-protocol.ts";

/** Providers keep the answers of a batch for 29 or 30 days. */
const keptMs = 30 * 86_400_000;

/** Whose batches are written down, and where. */
export interface BatchBook {
  readonly run: string;
  readonly journal: Journal;
}

export interface BatchRecords {
  /** Of the batch that was submitted with it, by the unit's key. */
  get(key: string): BatchRecord | undefined;
  /** Names that providers gave, but for that of this record. */
  idsBeside(record: BatchRecord): ReadonlySet<string>;
  /** Durable when it resolves, in place of the one of the same name. Without keys and id it is forgotten. */
  put(record: BatchRecord): Promise<void>;
}

/** Which unit waits in which batch, whichever run asked for it: keys and ids alone, none of the words. */
export async function openBatchRecords({ run, journal }: BatchBook, now: number): Promise<BatchRecords> {
  const byName = new Map<string, BatchRecord>();
  const byKey = new Map<string, string>();
  for await (const entry of journal.read({ kinds: ["batch"] })) {
    if (isBatchKept(entry, now)) remember(entry.body as unknown as BatchRecord);
  }

  function remember(record: BatchRecord): void {
    for (const key of byName.get(record.name)?.keys ?? []) {
      if (byKey.get(key) === record.name) byKey.delete(key);
    }
    // one with an id is known even when nothing waits in it: it must not be taken for one that was lost
    if (record.keys.length > 0 || record.id !== undefined) byName.set(record.name, record);
    else byName.delete(record.name);
    for (const key of record.keys) byKey.set(key, record.name);
  }

  return {
    get: (key) => byName.get(byKey.get(key) ?? ""),
    idsBeside: ({ name }) =>
      new Set([...byName.values()].flatMap((each) => (each.name === name ? [] : (each.id ?? [])))),
    async put(record) {
      const body = record as unknown as JsonObject;
      await journal.write({ kind: "batch", run, key: hashText(record.name), name: "", body });
      remember(record);
    },
  };
}

/** Whether its provider may still have what a `batch` entry tells of. */
export const isBatchKept = ({ body }: Entry, now: number): boolean => Number(body["at"]) >= now - keptMs;
