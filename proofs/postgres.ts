import { hash } from "node:crypto";
import { Client } from "pg";
import { type Journal, postgresJournal } from "../src/ports.ts";
import { seededRandom } from "../src/testing/index.ts";
import { type PostgresServer, startPostgres } from "../test/support/start-postgres.ts";
import { extrapolate } from "./postgres/extrapolate.ts";
import { measureWrites, rounded } from "./postgres/measure-writes.ts";
import { fill, keyOf } from "./speed/open-journal.ts";
import { numberOption, type ProofOptions, type ProofResult } from "./proof.ts";

export const claim = "A shared journal of ten million results in PostgreSQL finds any of them in 5 ms.";

const goals = { lookupMs: 5 };
const settings = ["shared_buffers = 2GB", "max_wal_size = 8GB", "max_connections = 500"];

/** Options: `--results n`. */
export default async function provePostgres({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const results = numberOption(args, "results", short ? 50_000 : 10_000_000);
  const server = await startPostgres({ durable: true, settings });
  try {
    const url = server.createDatabase();
    log(
      `${server.sql(url, "SHOW server_version")} on loopback, commits wait for the disk; ${settings.join(", ")}`,
    );
    const loading = await postgresJournal({ url });
    const { perSecond: loadedPerSecond } = await fill(loading, results, log);
    await loading.close();
    // what autovacuum does to a table that grew over days
    server.sql(url, "VACUUM (ANALYZE) whetstone.results");
    log(`${results.toLocaleString("en")} results written, ${loadedPerSecond.toLocaleString("en")} a second`);
    const size = measureSize(server, url, results);
    log(
      `a result of about a kilobyte takes ${size.bytesPerResult} bytes: ${size.row} for the row, ${size.keyIndex} for its key in the index, ${size.otherIndexes} for the other indexes`,
    );

    const openMs = await timed(async () => (await postgresJournal({ url })).close());
    const journal = await postgresJournal({ url });
    const bare = await askNothing(url);
    const hits = await lookUp(journal, (at) => keyOf(at % results), true);
    const misses = await lookUp(journal, (at) => hash("sha256", `never ${at}`), false);
    const together = await lookUpTogether(journal, results);
    const lockMs = await timed(async () => (await journal.lock("run-0")).release());
    await journal.close();
    log(`opens in ${openMs} ms; locks a run of 20,000 results, each counted, in ${lockMs} ms`);
    log(`an empty query takes ${bare.p50} ms (median), ${bare.p99} ms (99%)`);
    log(
      `finds a result in ${hits.p50} ms (median), ${hits.p99} ms (99%), ${hits.max} ms (worst of ${lookups})`,
    );
    log(
      `misses in ${misses.p50} ms (median), ${misses.p99} ms (99%), ${misses.max} ms (worst of ${lookups})`,
    );
    log(`64 at a time it finds ${together} a second`);

    const logBefore = logSize(server, url);
    const seconds = short ? 3 : 15;
    const rates = [];
    for (const [writers, inFlight] of [
      [1, 64],
      [4, 64],
      [100, 1],
    ] as const) {
      const rate = await measureWrites(server, url, { writers, inFlight, seconds });
      rates.push(rate);
      log(
        `${writers} writers with ${inFlight} units in flight: ${rate.unitsPerSecond} units a second in ${rate.batchesPerSecond} transactions; an entry is durable after ${rate.writeMs.p50} ms (median), ${rate.writeMs.p99} ms (99%)`,
      );
    }
    const logAfter = logSize(server, url);
    const logBytesPerEntry = Math.round(
      (logAfter.bytes - logBefore.bytes) / (logAfter.rows - logBefore.rows),
    );
    log(`an intent or an event takes ${logBytesPerEntry} bytes with its indexes`);

    const arithmetic = extrapolate({ size, logBytesPerEntry, rates });
    log("");
    for (const line of arithmetic.lines) log(line);
    return {
      ok: hits.p99 < goals.lookupMs && misses.p99 < goals.lookupMs,
      onlyLate: true,
      figures: {
        results,
        loadedPerSecond,
        ...size,
        logBytesPerEntry,
        openMs,
        lockMs,
        bare: { ...bare },
        hits: { ...hits },
        misses: { ...misses },
        foundTogetherPerSecond: together,
        writes: rates.map((rate) => ({ ...rate, writeMs: { ...rate.writeMs } })),
        ...arithmetic.figures,
      },
    };
  } finally {
    await server.end();
  }
}

function measureSize(server: PostgresServer, url: string, results: number) {
  const [all, rows, keys] = server
    .sql(
      url,
      `SELECT sum(pg_total_relation_size(p.inhrelid)), sum(pg_relation_size(p.inhrelid)),
        sum((SELECT sum(pg_relation_size(i.indexrelid)) FROM pg_index i WHERE i.indrelid = p.inhrelid AND i.indisprimary))
      FROM pg_inherits p WHERE p.inhparent = 'whetstone.results'::regclass`,
    )
    .split("|")
    .map((bytes) => Math.round(Number(bytes) / results));
  const [bytesPerResult, row, keyIndex] = [all ?? 0, rows ?? 0, keys ?? 0];
  return { bytesPerResult, row, keyIndex, otherIndexes: bytesPerResult - row - keyIndex };
}

function logSize(server: PostgresServer, url: string) {
  const text = server.sql(
    url,
    "SELECT pg_total_relation_size('whetstone.log'), (SELECT count(*) FROM whetstone.log)",
  );
  const [bytes, rows] = text.split("|").map(Number);
  return { bytes: bytes ?? 0, rows: rows ?? 0 };
}

const lookups = 20_000;
const rounds = 5;

async function lookUp(journal: Journal, key: (at: number) => string, isThere: boolean) {
  const random = seededRandom("lookups", String(isThere));
  return inRounds(async () => {
    const wanted = key(Math.floor(random() * 1e9));
    const found = await journal.get(wanted);
    if ((found?.key === wanted) !== isThere)
      throw new Error(`${wanted} should ${isThere ? "" : "not "}be there`);
  });
}

/** The round trip to the server on this machine, whatever else it does. */
async function askNothing(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await inRounds(async () => void (await client.query("SELECT 1")));
  } finally {
    await client.end();
  }
}

/** One after another, in five rounds: the middle one counts, so that another program on the machine doesn't decide. */
async function inRounds(action: () => Promise<void>) {
  const perRound: { readonly p50: number; readonly p99: number; readonly max: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const times: number[] = [];
    for (let at = 0; at < lookups / rounds; at += 1) times.push(await preciselyTimed(action));
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
    perRound.push({ p50: at(0.5), p99: at(0.99), max: at(1) });
  }
  const middle = (of: "p50" | "p99") =>
    rounded(perRound.map((round) => round[of]).toSorted((a, b) => a - b)[rounds >> 1] ?? 0);
  return {
    p50: middle("p50"),
    p99: middle("p99"),
    max: rounded(Math.max(...perRound.map(({ max }) => max))),
  };
}

/** As a resumed run asks: many units look for their result at once. */
async function lookUpTogether(journal: Journal, results: number): Promise<number> {
  const random = seededRandom("together");
  const ms = await timed(async () => {
    for (let round = 0; round < lookups; round += 64)
      await Promise.all(
        Array.from({ length: 64 }, () => journal.get(keyOf(Math.floor(random() * 1e9) % results))),
      );
  });
  return Math.round((lookups / ms) * 1000);
}

const timed = async (action: () => Promise<void>): Promise<number> => rounded(await preciselyTimed(action));

async function preciselyTimed(action: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}
