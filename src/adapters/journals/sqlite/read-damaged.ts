import type { DatabaseSync } from "node:sqlite";
import { nextChain } from "../entry-sum.ts";
import { type CheckedRow, checkRow, type RawRow, rowColumns } from "./sqlite-rows.ts";

/** A row that matches its checksum, or a range of numbers and their fault. */
export type DamagedRead =
  | { readonly kind: "row"; readonly row: CheckedRow; readonly follows: boolean }
  | { readonly kind: "lost"; readonly from: number; readonly to: number; readonly why: string };

const pageRows = 200;

/** Everything that can still be read, in order, and everything lost up to the last `promised` row. */
export function* readDamaged(database: DatabaseSync, promised: number): Generator<DamagedRead> {
  const readPage = database.prepare(
    `SELECT ${rowColumns} FROM entries NOT INDEXED WHERE seq > ? ORDER BY seq LIMIT ${pageRows}`,
  );
  const readOne = database.prepare(`SELECT ${rowColumns} FROM entries NOT INDEXED WHERE seq = ?`);
  let before: CheckedRow | undefined;
  let after = 0;
  for (;;) {
    const rows = attempt(() => readPage.all(after));
    if (rows instanceof Error) {
      // some page of the file is broken, so look for the rows around it one by one
      const to = Math.min(after + pageRows, promised);
      if (after >= to) return;
      for (; after < to; after += 1) {
        const row = attempt(() => readOne.get(after + 1) ?? {});
        if (row instanceof Error)
          yield { kind: "lost", from: after + 1, to: after + 1, why: unreadable(row) };
        else yield* judge(row, after + 1);
      }
      continue;
    }
    for (const row of rows) {
      const seq = Number(row["seq"]);
      if (seq <= after) return;
      if (seq > after + 1) yield { kind: "lost", from: after + 1, to: seq - 1, why: "missing" };
      yield* judge(row, seq);
      after = seq;
    }
    if (rows.length > 0) continue;
    if (after < promised) yield { kind: "lost", from: after + 1, to: promised, why: "missing" };
    return;
  }

  function* judge(raw: RawRow, seq: number): Generator<DamagedRead> {
    const row = checkRow(raw);
    if (row === undefined) {
      const why = Object.keys(raw).length === 0 ? "missing" : "changed (checksum mismatch)";
      yield { kind: "lost", from: seq, to: seq, why };
    } else yield { kind: "row", row, follows: follows(row, before) };
    before = row;
  }
}

/** Whether the running checksum continues from the previous row, if that row is known. */
function follows(row: CheckedRow, before: CheckedRow | undefined): boolean {
  if (row.seq > 1 && before?.seq !== row.seq - 1) return true;
  return nextChain(before?.chain ?? 0, row.text, row.sum) === row.chain;
}

const unreadable = (error: Error): string => `unreadable (${error.message})`;

function attempt<T>(action: () => T): T | Error {
  try {
    return action();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
