import { hash } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Journal, type NewEntry, sqliteJournal } from "../../src/ports.ts";
import { seededRandom } from "../../src/testing/index.ts";
import { numberOption, type ProofOptions, type ProofResult } from "../proof.ts";

const goals = { openMs: 200, lookupMs: 1 };

/** A journal with as many results as long runs leave. */
export async function proveJournal({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const results = numberOption(args, "results", short ? 100_000 : 1_000_000);
  const dir = mkdtempSync(join(tmpdir(), "whetstone-journal-"));
  try {
    const opened = await sqliteJournal({ dir });
    const load = await fill(opened, results, log);
    await opened.close();
    const bytesPerResult = Math.round(statSync(join(dir, "journal.db")).size / results);
    log(`${results} results, ${bytesPerResult} bytes each, written at ${load.perSecond} a second`);

    const writerOpenMs = await medianOpen(dir, false);
    const readerOpenMs = await medianOpen(dir, true);
    log(`opens in ${writerOpenMs} ms as writer, ${readerOpenMs} ms as reader (median of 9)`);

    const journal = await sqliteJournal({ dir });
    const hits = await lookUp(journal, (at) => keyOf(at % results), true);
    const misses = await lookUp(journal, (at) => hash("sha256", `never ${at}`), false);
    log(
      `finds a result in ${hits.p50} ms (median), ${hits.p99} ms (99%), ${hits.max} ms (worst of ${lookups})`,
    );
    log(
      `misses in ${misses.p50} ms (median), ${misses.p99} ms (99%), ${misses.max} ms (worst of ${lookups})`,
    );

    const listMs = await timed(() => drain(journal, { names: ["run-start", "run-end"] }));
    log(`lists its runs in ${listMs} ms`);
    const verify = await timeLock(journal);
    const rows = results + load.events;
    const verifiedPerSecond = Math.round((rows / verify.ms) * 1000);
    log(
      `checks every row in ${verify.ms} ms, ${verifiedPerSecond} rows a second, holding up the event loop for at most ${verify.longestPauseMs} ms`,
    );
    await journal.close();

    const slowestOpen = Math.max(writerOpenMs, readerOpenMs);
    const slowestLookup = Math.max(hits.p99, misses.p99);
    return {
      ok: slowestOpen < goals.openMs && slowestLookup < goals.lookupMs,
      figures: {
        results,
        bytesPerResult,
        writesPerSecond: load.perSecond,
        writerOpenMs,
        readerOpenMs,
        hits: { ...hits },
        misses: { ...misses },
        listRunsMs: listMs,
        verifyMs: verify.ms,
        verifiedPerSecond,
        longestPauseMs: verify.longestPauseMs,
      },
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

export const keyOf = (at: number): string => hash("sha256", `unit ${at}`);

/** Through the real write path, 64 results in each turn: what one process with 64 calls in flight writes. */
export async function fill(journal: Journal, results: number, log: (line: string) => void) {
  const perTurn = 64;
  const perRun = 20_000;
  const bodyOf = replies();
  let events = 0;
  let writingMs = 0;
  for (let from = 0; from < results; from += perTurn) {
    const run = `run-${Math.floor(from / perRun)}`;
    const turn: NewEntry[] = [];
    for (let at = from; at < Math.min(from + perTurn, results); at += 1) {
      if (at % perRun === 0) turn.push({ kind: "event", run, key: "", name: "run-start", body: { at } });
      turn.push({ kind: "result", run, key: keyOf(at), name: "", body: bodyOf(at) });
    }
    events += turn.filter(({ kind }) => kind === "event").length;
    const started = performance.now();
    await Promise.all(turn.map((entry) => journal.write(entry)));
    writingMs += performance.now() - started;
    if (from > 0 && from % (perTurn * 3125) === 0) log(`${from} written …`);
  }
  return { events, perSecond: Math.round((results / writingMs) * 1000) };
}

/** Replies of a model, about a kilobyte each. */
export function replies(): (at: number) => NewEntry["body"] {
  const random = seededRandom("replies");
  const words = Array.from({ length: 50_000 }, () => Math.floor(random() * 1e9).toString(36)).join(" ");
  return (at) => {
    const length = 600 + Math.floor(random() * 600);
    const start = Math.floor(random() * (words.length - length));
    return {
      output: {
        text: words.slice(start, start + length),
        finish: "stop",
        usage: { inputTokens: 812, outputTokens: length >> 2 },
      },
      cost: { nanoUsd: 120_000 + at, tokens: 1000, calls: 1 },
      ms: Math.floor(random() * 9000),
      tries: 1,
    };
  };
}

async function medianOpen(dir: string, readOnly: boolean): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const started = performance.now();
    const journal = await sqliteJournal({ dir, readOnly });
    times.push(performance.now() - started);
    await journal.close();
  }
  return rounded(times.toSorted((a, b) => a - b)[4]!);
}

const lookups = 20_000;

async function lookUp(journal: Journal, key: (at: number) => string, isThere: boolean) {
  const random = seededRandom("lookups", String(isThere));
  const times: number[] = [];
  for (let round = 0; round < lookups; round += 1) {
    const wanted = key(Math.floor(random() * 1e9));
    const started = performance.now();
    const found = await journal.get(wanted);
    times.push(performance.now() - started);
    if ((found !== undefined) !== isThere)
      throw new Error(`${wanted} should ${isThere ? "" : "not "}be there`);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => rounded(times[Math.min(times.length - 1, Math.floor(share * times.length))]!);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

async function timeLock(journal: Journal): Promise<{ ms: number; longestPauseMs: number }> {
  let longest = 0;
  let last = performance.now();
  const tick = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  const ms = await timed(async () => (await journal.lock("run-0")).release());
  clearInterval(tick);
  return { ms, longestPauseMs: rounded(longest) };
}

async function drain(journal: Journal, filter: { readonly names: readonly string[] }): Promise<void> {
  for await (const _ of journal.read(filter));
}

async function timed(action: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await action();
  return rounded(performance.now() - started);
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
