import { setTimeout as sleep } from "node:timers/promises";
import { WhetstoneError } from "../../../core/errors.ts";
import type { Journal } from "../../../core/ports/journal.ts";
import { connectPostgres } from "./postgres-connection.ts";
import { postgresJournal } from "./postgres.ts";

/** Which entries may be dropped. */
export interface CollectScope {
  /** The runs that still exist. */
  remaining(journal: Journal): Promise<ReadonlySet<string>>;
  /** Called while nobody else can start or continue the run. */
  isRemoved(journal: Journal, run: string): Promise<boolean>;
  /** The numbers of entries that outlive their run. */
  outliving(journal: Journal, run: string): Promise<readonly number[]>;
}

export interface Collected {
  readonly kept: number;
  readonly dropped: number;
  /** Results among the dropped entries. */
  readonly results: number;
  /** Bytes that new rows will fill; the database files keep their size. */
  readonly freedBytes: number;
}

// short enough that a coordinator doesn't notice
const stepRows = 1000;

/**
 * Drops what removed runs left, while others keep working. A removed run is locked as if being continued, and each
 * step excludes writers, so results that another run recorded as used stay. A lookup recorded later is stored again.
 */
export async function collectPostgres(url: string, plan: CollectScope): Promise<Collected> {
  const journal = await postgresJournal({ url });
  const connection = await connectPostgres(url, { answerMs: 0 });
  const total = { dropped: 0, results: 0, freedBytes: 0 };
  try {
    // in this order, so that a run that starts in between isn't treated as removed
    const all = await findRuns("true");
    const remaining = await plan.remaining(journal);
    const removed = all.filter((run) => !remaining.has(run));
    // first drop the records of use, so that a removed run keeps nothing for another
    for (const run of await findRuns(hasLog, removed)) await holding(run, dropLog);
    for (const run of await findRuns(hasUnusedResult, removed)) await holding(run, dropResults);
    const [row] = await connection.query<{ kept: string }>(
      "SELECT coalesce(sum(entries), 0) AS kept FROM whetstone.runs",
    );
    return { ...total, kept: Number(row?.kept) };
  } finally {
    await connection.close();
    await journal.close();
  }

  async function findRuns(where: string, among?: readonly string[]): Promise<readonly string[]> {
    const rows = await connection.query<{ run: string }>(
      `SELECT r.run FROM whetstone.runs r WHERE ($1::text[] IS NULL OR r.run = ANY ($1)) AND ${where} ORDER BY r.run`,
      [among ?? null],
    );
    return rows.map(({ run }) => run);
  }

  async function holding(run: string, drop: (run: string) => Promise<void>): Promise<void> {
    const lock = await journal.lock(run).catch((error: unknown) => {
      // it is being started again, so we may no longer drop it
      if (error instanceof WhetstoneError && error.code === "run-locked") return undefined;
      throw error;
    });
    try {
      if (lock === undefined || !(await plan.isRemoved(journal, run))) return;
      await drop(run);
      await connection.query("SELECT whetstone.forget_run($1)", [run]);
    } finally {
      await lock?.release();
    }
  }

  async function dropLog(run: string): Promise<void> {
    await dropInSteps("SELECT * FROM whetstone.drop_log($1, $2, $3, $4)", run, [
      await plan.outliving(journal, run),
    ]);
  }

  async function dropResults(run: string): Promise<void> {
    total.results += await dropInSteps("SELECT * FROM whetstone.drop_results($1, $2, $3)", run, []);
  }

  async function dropInSteps(call: string, run: string, more: readonly unknown[]): Promise<number> {
    let dropped = 0;
    for (let after = "0"; ; ) {
      const row = await taking(async () => {
        const [step] = await connection.query<Step>(call, [run, after, stepRows, ...more]);
        return step;
      });
      if (row === undefined || row.last === null) break;
      after = row.last;
      dropped += Number(row.dropped);
      total.freedBytes += Number(row.bytes);
    }
    total.dropped += dropped;
    return dropped;
  }
}

interface Step {
  /** Null if there was nothing left to check. */
  readonly last: string | null;
  readonly dropped: string;
  readonly bytes: string;
}

const hasLog = "EXISTS (SELECT FROM whetstone.log l WHERE l.run = r.run)";
const hasUnusedResult = `EXISTS (SELECT FROM whetstone.results s WHERE s.run = r.run AND NOT EXISTS (
  SELECT FROM whetstone.log l WHERE l.key = s.key AND l.kind IN ('use', 'duplicate') AND l.run <> s.run))`;

/** Then leaves writers alone for as long as it made them wait. */
async function taking<T>(step: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const value = await step();
  await sleep(performance.now() - started);
  return value;
}
