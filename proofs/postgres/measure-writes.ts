import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type NewEntry, type Journal, postgresJournal } from "../../src/ports.ts";
import type { PostgresServer } from "../../test/support/start-postgres.ts";
import { replies } from "../speed/open-journal.ts";

export interface WriteRate {
  readonly writers: number;
  readonly inFlight: number;
  readonly unitsPerSecond: number;
  /** Transactions. */
  readonly batchesPerSecond: number;
  /** How long one entry takes to be durable. */
  readonly writeMs: { readonly p50: number; readonly p99: number };
  /** Of the write-ahead log. */
  readonly logBytesPerUnit: number;
  readonly sessions: number;
  readonly sessionMegabytes: number;
}

/**
 * What a fleet writes: each unit its intent and then its result, and one coordinator the event of its end. All writers share
 * this process, so a few cores carry clients and server.
 */
export async function measureWrites(
  server: PostgresServer,
  url: string,
  { writers, inFlight, seconds }: { writers: number; inFlight: number; seconds: number },
): Promise<WriteRate> {
  const journals = await openAll(url, writers + 1);
  const [coordinator, ...workers] = journals as [Journal, ...Journal[]];
  const bodyOf = replies();
  const name = `fleet of ${writers} × ${inFlight}`;
  const waits: number[] = [];
  let units = 0;
  const before = counters(server, url);
  const started = performance.now();
  const end = started + seconds * 1000;
  const write = async (journal: Journal, entry: NewEntry) => {
    const from = performance.now();
    await journal.write(entry);
    waits.push(performance.now() - from);
  };
  await Promise.all(
    workers.flatMap((journal, worker) =>
      Array.from({ length: inFlight }, async (_, lane) => {
        for (let at = 0; performance.now() < end; at += 1) {
          const key = hash("sha256", `${name} ${worker} ${lane} ${at}`);
          const base = { run: name, key, name: "" };
          await write(journal, {
            ...base,
            kind: "intent",
            body: { worst: { nanoUsd: 900_000, tokens: 4000, calls: 1 } },
          });
          await write(journal, { ...base, kind: "result", body: bodyOf(at) });
          units += 1;
          await coordinator.write(unitEnd(name, key, units));
        }
      }),
    ),
  );
  const tookSeconds = (performance.now() - started) / 1000;
  const after = counters(server, url);
  const sessionBytes = after.sessions.map(ownMemory);
  for (const journal of journals) await journal.close();
  waits.sort((a, b) => a - b);
  const at = (share: number) => rounded(waits[Math.floor(share * waits.length)] ?? 0);
  return {
    writers,
    inFlight,
    unitsPerSecond: Math.round(units / tookSeconds),
    batchesPerSecond: Math.round((after.batches - before.batches) / tookSeconds),
    writeMs: { p50: at(0.5), p99: at(0.99) },
    logBytesPerUnit: Math.round((after.walBytes - before.walBytes) / units),
    sessions: sessionBytes.length,
    sessionMegabytes: rounded(
      sessionBytes.reduce((sum, bytes) => sum + bytes, 0) / sessionBytes.length / 1e6,
    ),
  };
}

async function openAll(url: string, count: number): Promise<Journal[]> {
  const journals: Journal[] = [];
  for (let at = 0; at < count; at += 1) journals.push(await postgresJournal({ url }));
  return journals;
}

const unitEnd = (run: string, key: string, seq: number): NewEntry => ({
  kind: "event",
  run,
  key: "",
  name: "unit-end",
  body: {
    v: 1,
    seq,
    at: 1_790_000_000_000 + seq,
    key,
    role: "target",
    step: 3,
    stage: "rollout",
    from: "provider",
    cost: { nanoUsd: 120_000, tokens: 1000, calls: 1 },
    ms: 4000,
    tries: 1,
  },
});

function counters(server: PostgresServer, url: string) {
  const [batches, walBytes, sessions] = server
    .sql(
      url,
      `SELECT (SELECT sum(number) FROM whetstone.writers),
        pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'),
        (SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE application_name = 'whetstone')`,
    )
    .split("|");
  return {
    batches: Number(batches),
    walBytes: Number(walBytes),
    sessions: (sessions ?? "").split(" ").filter(Boolean),
  };
}

/** What a session of the server needs for itself; shared buffers are not counted. */
function ownMemory(pid: string): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
  return 1024 * (kilobytes("Private_Clean") + kilobytes("Private_Dirty"));
}

export const rounded = (value: number): number => Math.round(value * 100) / 100;
