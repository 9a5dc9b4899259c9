import type { DatabaseSync } from "node:sqlite";
import { nextChain } from "./entry-sum.ts";
import type { Head } from "./head.ts";
import { type CheckedRow, checkRow, rowColumns } from "./sqlite-rows.ts";

/** An intact row, or what is wrong with one number. */
export type Found =
  | { readonly kind: "row"; readonly row: CheckedRow }
  | { readonly kind: "lost"; readonly seq: number; readonly why: string };

/** Everything that can still be read, number by number, up to the last row that is there or was promised. */
export function* readDamaged(database: DatabaseSync, head: Head | undefined): Generator<Found> {
  const page = database.prepare(
    `SELECT ${rowColumns} FROM entries NOT INDEXED WHERE seq > ? AND seq <= ? ORDER BY seq`,
  );
  const last = Math.max(head?.seq ?? 0, lastNumber(database));
  let before: CheckedRow | undefined;
  for (let after = 0; after < last; after += pageRows) {
    for (const found of readPage(page, after, Math.min(after + pageRows, last))) {
      if (found.kind === "lost") before = undefined;
      else if (follows(found.row, before)) before = found.row;
      else {
        // its own checksum holds, so it is kept; what is wrong is the order
        yield { kind: "lost", seq: found.row.seq - 1, why: "is not the row that the next one follows" };
        before = found.row;
      }
      yield found;
    }
  }
}

const pageRows = 200;

type Statement = ReturnType<DatabaseSync["prepare"]>;

function* readPage(page: Statement, after: number, to: number): Generator<Found> {
  let rows: Map<unknown, Readonly<Record<string, unknown>>>;
  try {
    rows = new Map(page.all(after, to).map((row) => [row["seq"], row]));
  } catch (error) {
    // some page of the file is broken: find the rows beside it
    if (to - after > 1) {
      const middle = after + Math.floor((to - after) / 2);
      yield* readPage(page, after, middle);
      yield* readPage(page, middle, to);
    } else {
      yield { kind: "lost", seq: to, why: `cannot be read (${error instanceof Error ? error.message : String(error)})` };
    }
    return;
  }
  for (let seq = after + 1; seq <= to; seq += 1) yield foundRow(seq, rows.get(seq));
}

function foundRow(seq: number, raw: Readonly<Record<string, unknown>> | undefined): Found {
  if (raw === undefined) return { kind: "lost", seq, why: "is missing" };
  const row = checkRow(raw);
  if (row === undefined) return { kind: "lost", seq, why: "does not match its checksum" };
  return { kind: "row", row };
}

function follows(row: CheckedRow, before: CheckedRow | undefined): boolean {
  if (before === undefined && row.seq > 1) return true;
  return nextChain(before?.chain ?? 0, row.text, row.sum) === row.chain;
}

function lastNumber(database: DatabaseSync): number {
  try {
    return Number(database.prepare("SELECT max(seq) AS last FROM entries").get()?.["last"] ?? 0);
  } catch {
    return 0;
  }
}
