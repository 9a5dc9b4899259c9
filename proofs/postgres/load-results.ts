import { hash } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { packBody } from "../../src/adapters/journals/postgres/postgres-body.ts";
import { contentSum, storedSum } from "../../src/adapters/journals/postgres/postgres-rows.ts";
import type { PostgresServer } from "../../test/support/start-postgres.ts";
import { replies } from "../journal.ts";

export const keyOf = (at: number): string => hash("sha256", `unit ${at}`);

const perRun = 20_000;
const runOf = (at: number): string => `run-${Math.floor(at / perRun)}`;

/** Rows exactly as the journal writes them, through COPY: the write path itself would take too long for so many. */
export async function loadResults(
  server: PostgresServer,
  url: string,
  results: number,
  log: (line: string) => void,
): Promise<void> {
  const bodies = await packBodies();
  const copy = "COPY whetstone.results (seq, sum, key, run, name, body, blob) FROM STDIN (FORMAT binary)";
  const psql = spawn("psql", ["-qXd", url, "-v", "ON_ERROR_STOP=1", "-c", copy], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const closed = once(psql, "close");
  psql.stdin.write(Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]));
  for (let from = 0; from < results; from += rowsAtOnce) {
    const rows: Buffer[] = [];
    for (let at = from; at < Math.min(from + rowsAtOnce, results); at += 1) {
      const body = bodies[at % bodies.length]!;
      const [run, key] = [runOf(at), keyOf(at)];
      const content = contentSum({ kind: "result", run, key, name: "" }, { bytes: body, blob: null });
      rows.push(encodeRow(at + 1, storedSum(content, at + 1), key, run, body));
    }
    if (!psql.stdin.write(Buffer.concat(rows))) await once(psql.stdin, "drain");
    if (from > 0 && from % 1_000_000 === 0) log(`${from.toLocaleString("en")} loaded …`);
  }
  psql.stdin.end(Buffer.from([0xff, 0xff]));
  const [code] = await closed;
  if (code !== 0) throw new Error(`COPY ended with ${String(code)}`);
  server.sql(
    url,
    `UPDATE whetstone.head SET seq = ${results};
    INSERT INTO whetstone.runs SELECT run, count(*), sum(sum) FROM whetstone.results GROUP BY run;`,
  );
  // what autovacuum does to a table that grew over days
  server.sql(url, "VACUUM (ANALYZE) whetstone.results");
}

const rowsAtOnce = 2000;

/** Two thousand different replies serve all rows: the size of a row is what counts. */
async function packBodies(): Promise<readonly Buffer[]> {
  const bodyOf = replies();
  const packed = await Promise.all(
    Array.from({ length: 2000 }, (_, at) => packBody(JSON.stringify(bodyOf(at)))),
  );
  return packed.flatMap(({ bytes }) => bytes ?? []);
}

/** https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format". */
function encodeRow(seq: number, sum: number, key: string, run: string, body: Buffer): Buffer {
  const runBytes = Buffer.byteLength(run);
  const row = Buffer.alloc(2 + 12 + 12 + 36 + 4 + runBytes + 4 + 4 + body.length + 4);
  let at = row.writeInt16BE(7, 0);
  const field = (length: number) => (at = row.writeInt32BE(length, at));
  field(8);
  at = row.writeBigInt64BE(BigInt(seq), at);
  field(8);
  at = row.writeBigInt64BE(BigInt(sum), at);
  field(32);
  at += row.write(key, at, "hex");
  field(runBytes);
  at += row.write(run, at);
  field(0);
  field(body.length);
  at += body.copy(row, at);
  field(-1);
  return row;
}
