import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import { syncDirectory } from "../journals/sync-directory.ts";
import type { BatchRecord } from "./batch-protocol.ts";

/** Providers keep the answers of a batch for 29 or 30 days. */
const keptMs = 30 * 86_400_000;

export interface BatchRecords {
  /** Of the batch that was submitted with it, by the unit's key. */
  get(key: string): BatchRecord | undefined;
  /** Names that providers gave, but for that of this record. */
  idsBeside(record: BatchRecord): ReadonlySet<string>;
  /** On disk when it returns, in place of the one of the same name. Without keys and id it is removed. */
  put(record: BatchRecord): void;
}

/** Which unit waits in which batch: one file for each, keys and ids alone, none of the words. */
export function openBatchRecords(folder: string, now: () => number): BatchRecords {
  const byName = new Map<string, BatchRecord>();
  const byKey = new Map<string, string>();
  for (const record of readAll(folder)) {
    if (record.at < now() - keptMs) rmSync(fileOf(folder, record), { force: true });
    else remember(record);
  }

  function remember(record: BatchRecord): void {
    for (const key of byName.get(record.name)?.keys ?? []) {
      if (byKey.get(key) === record.name) byKey.delete(key);
    }
    byName.set(record.name, record);
    for (const key of record.keys) byKey.set(key, record.name);
  }

  return {
    get: (key) => byName.get(byKey.get(key) ?? ""),
    idsBeside: ({ name }) =>
      new Set([...byName.values()].flatMap((each) => (each.name === name ? [] : (each.id ?? [])))),
    put(record) {
      // one with an id is kept even when nothing waits in it: it must not be taken for one that was lost
      if (record.keys.length > 0 || record.id !== undefined) writeDurably(folder, record);
      else rmSync(fileOf(folder, record), { force: true });
      remember(record);
    },
  };
}

const fileOf = (folder: string, { name }: BatchRecord): string => join(folder, `${name}.json`);

function readAll(folder: string): readonly BatchRecord[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const path = join(folder, name);
      try {
        return JSON.parse(readFileSync(path, "utf8")) as BatchRecord;
      } catch (error) {
        throw new WhetstoneError("state-damaged", `The record of a batch, ${path}, cannot be read.`, {
          cause: error,
          hint: "Remove it to go on: what waits in that batch is then asked, and paid, again.",
        });
      }
    });
}

function writeDurably(folder: string, record: BatchRecord): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = fileOf(folder, record);
  const handle = openSync(`${path}.tmp`, "w", 0o600);
  try {
    writeSync(handle, `${JSON.stringify(record)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(`${path}.tmp`, path);
  syncDirectory(folder);
}
