import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { hashText } from "../../../core/canonical.ts";
import type { Lock } from "../../../core/ports/journal.ts";
import { runLocked } from "../journal-errors.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { translatePostgresError } from "./postgres-errors.ts";

export interface PostgresLocks {
  lock(run: string): Promise<Lock>;
  /** The locked runs, each with the proof that `append` requires. */
  readonly holders: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/**
 * Advisory locks of one session, which die with the process. They also die with the server, and then another process
 * may take over a run. So each lock has a number that the next holder replaces, and `append` refuses the old one.
 */
export function postgresLocks(connection: PostgresConnection): PostgresLocks {
  const holders = new Map<string, string>();
  const wanted = new Set<string>();
  const retaking = new Set<string>();
  let session: Promise<Client> | undefined;
  let isClosed = false;

  return { lock, holders, close };

  async function lock(run: string): Promise<Lock> {
    if (wanted.has(run)) throw runLocked(run);
    wanted.add(run);
    const holder = randomUUID();
    try {
      if (!(await tryLock(run))) throw runLocked(run);
      await connection.query("SELECT whetstone.take_run($1, $2)", [run, holder]);
    } catch (error) {
      await unlock(run);
      throw translatePostgresError(error, connection.place);
    }
    holders.set(run, holder);
    return {
      release: async () => {
        if (holders.get(run) === holder) await unlock(run);
      },
    };
  }

  async function close(): Promise<void> {
    isClosed = true;
    const client = await session?.catch(() => undefined);
    // unlock explicitly, because the server notices the end of a session a little later than we do
    await client?.query("SELECT pg_advisory_unlock_all()").catch(() => undefined);
    await client?.end().catch(() => undefined);
    holders.clear();
  }

  async function tryLock(run: string): Promise<boolean> {
    session ??= openSession();
    const client = await session;
    const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [
      lockNumber(run),
    ]);
    return rows[0]?.taken === true;
  }

  async function unlock(run: string): Promise<void> {
    holders.delete(run);
    const client = await session?.catch(() => undefined);
    await client?.query("SELECT pg_advisory_unlock($1)", [lockNumber(run)]).catch(() => undefined);
    wanted.delete(run);
  }

  async function openSession(): Promise<Client> {
    try {
      const client = await connection.openSession();
      client.once("end", () => {
        session = undefined;
        for (const run of holders.keys()) void takeAgain(run);
      });
      return client;
    } catch (error) {
      session = undefined;
      throw error;
    }
  }

  /** Tries until it is ours again or no longer wanted. If another process has it by then, the next write is refused. */
  async function takeAgain(run: string): Promise<void> {
    if (retaking.has(run)) return;
    retaking.add(run);
    const isWanted = () => !isClosed && holders.has(run);
    while (isWanted() && !(await tryLock(run).catch(() => false)))
      await sleep(retryMs, undefined, { ref: false });
    retaking.delete(run);
  }
}

const retryMs = 500;

/** A 64-bit number, as PostgreSQL requires. */
const lockNumber = (run: string): string =>
  BigInt.asIntN(64, BigInt(`0x${hashText(`whetstone run ${run}`).slice(0, 16)}`)).toString();
