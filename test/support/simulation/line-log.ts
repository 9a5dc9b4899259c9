import { crc32 } from "node:zlib";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Entry, NewEntry } from "../../../src/core/ports/journal.ts";
import { entrySum, entryText, hexSum, nextChain } from "../../../src/adapters/journals/entry-sum.ts";
import type { Head } from "../../../src/adapters/journals/head.ts";
import { isEntryKind } from "../../../src/adapters/journals/journal-entry.ts";
import { journalDamaged } from "../../../src/adapters/journals/journal-errors.ts";

export interface LineLog {
  /** The rows, still encoded. */
  readonly rows: readonly string[];
  readonly last: Head;
  /** Where lines begin that a crash left behind and that nobody was promised. */
  readonly torn: number | undefined;
}

/**
 * Reads a log of three kinds of lines: rows, heads ("everything up to this row is durable") and voids ("from that
 * line to here a crash left rubbish"). Lines that do not follow are dropped if no head vouches for them.
 */
export function readLog(lines: readonly string[], place: string): LineLog {
  const rows: string[] = [];
  let last: Head = { seq: 0, chain: 0 };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const follows = readRow(line, last) ?? readHeadLine(line, last);
    if (follows !== undefined) {
      if (follows.seq > last.seq) rows.push(line);
      last = follows;
      continue;
    }
    const resumed = lines.indexOf(encodeVoid(at), at);
    if (resumed === -1) return dropTail(at);
    at = resumed;
  }
  return { rows, last, torn: undefined };

  function dropTail(at: number): LineLog {
    if (lines.slice(at).some((line) => decodeHead(line) !== undefined)) {
      throw journalDamaged(place, `what follows row ${last.seq} is not what was recorded`);
    }
    return { rows, last, torn: at };
  }
}

export function encodeEntry(
  { seq: before, chain: chainBefore }: Head,
  entry: NewEntry,
  body: string,
): { line: string; head: Head } {
  const seq = before + 1;
  const text = entryText(seq, entry, body);
  const sum = entrySum(text);
  const chain = nextChain(chainBefore, text, sum);
  const fields = JSON.stringify([seq, entry.kind, entry.run, entry.key, entry.name, body]);
  return { line: `${hexSum(sum)} ${hexSum(chain)} ${fields}`, head: { seq, chain } };
}

/** The entry in a row that matches its checksum, and the running checksum after it. */
export function decodeEntry(
  line: string,
): { entry: Entry; text: string; sum: number; chain: number } | undefined {
  const [, sum, chain, fields] = /^([0-9a-f]{8}) ([0-9a-f]{8}) (\[.*\])$/s.exec(line) ?? [];
  if (sum === undefined || chain === undefined || fields === undefined) return undefined;
  const [seq, kind, run, key, name, body] = parseFields(fields);
  if (typeof seq !== "number" || typeof kind !== "string" || typeof run !== "string") return undefined;
  if (typeof key !== "string" || typeof name !== "string" || typeof body !== "string") return undefined;
  if (!isEntryKind(kind)) return undefined;
  const text = entryText(seq, { kind, run, key, name }, body);
  if (hexSum(entrySum(text)) !== sum) return undefined;
  const parsed: JsonObject = JSON.parse(body);
  const entry = { seq, kind, run, key, name, body: parsed };
  return { entry, text, sum: Number.parseInt(sum, 16), chain: Number.parseInt(chain, 16) };
}

export const encodeHead = ({ seq, chain }: Head): string => sealed(`head ${seq} ${hexSum(chain)}`);

export const encodeVoid = (from: number): string => sealed(`void ${from}`);

const sealed = (text: string): string => `${text} ${hexSum(crc32(text))}`;

function decodeHead(line: string): Head | undefined {
  const [, seq, chain] = /^head (\d+) ([0-9a-f]{8}) [0-9a-f]{8}$/.exec(line) ?? [];
  if (seq === undefined || chain === undefined) return undefined;
  const head = { seq: Number(seq), chain: Number.parseInt(chain, 16) };
  return encodeHead(head) === line ? head : undefined;
}

function readRow(line: string, last: Head): Head | undefined {
  const row = decodeEntry(line);
  if (row === undefined || row.entry.seq !== last.seq + 1) return undefined;
  const chain = nextChain(last.chain, row.text, row.sum);
  return chain === row.chain ? { seq: row.entry.seq, chain } : undefined;
}

function readHeadLine(line: string, last: Head): Head | undefined {
  const head = decodeHead(line);
  return head?.seq === last.seq && head.chain === last.chain ? head : undefined;
}

function parseFields(text: string): readonly unknown[] {
  try {
    const fields: unknown = JSON.parse(text);
    return Array.isArray(fields) ? fields : [];
  } catch {
    return [];
  }
}
