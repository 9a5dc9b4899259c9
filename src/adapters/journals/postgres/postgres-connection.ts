import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ClientBase, ClientConfig } from "pg";
import { WhetstoneError } from "../../../core/errors.ts";
import { loadPeer } from "../../load-peer.ts";
import { isUnreachable, translatePostgresError } from "./postgres-errors.ts";

export interface PostgresConnection {
  /** The address without its password, for people. */
  readonly place: string;
  /** Retries while the server is away, so it's only for queries that can safely run twice. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Several queries in one session, restarted from the first if the session breaks. */
  using<T>(ask: (client: ClientBase) => Promise<T>): Promise<T>;
  /** A session of the caller's own, for state that lives and dies with it. */
  openSession(): Promise<Client>;
  /** From now on, the server may be away for as long as a restart takes. */
  bePatient(): void;
  /** From now on, no query is retried. */
  giveUp(): void;
  close(): Promise<void>;
}

/** Whether this is a PostgreSQL address, as opposed to a folder. */
export const isPostgresAddress = (place: string): boolean => /^postgres(ql)?:\/\//i.test(place);

// a wrong address is reported soon, and a restarted server gets time
const openPatienceMs = 3000;
const workPatienceMs = 60_000;

export interface ConnectOptions {
  /** The time limit for one answer; 0 for none, for reads of all rows. @default 60_000 */
  readonly answerMs?: number;
}

/** Doesn't contact the server yet. */
export async function connectPostgres(
  url: string,
  { answerMs = 60_000 }: ConnectOptions = {},
): Promise<PostgresConnection> {
  const place = withoutPassword(url);
  const { Client, Pool } = await loadPeer<typeof import("pg")>("pg");
  let patienceMs = openPatienceMs;
  const ending = new AbortController();
  const config: ClientConfig = {
    connectionString: url,
    application_name: "whetstone",
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // for a server that vanished silently: the same query then runs in a new session
    query_timeout: answerMs,
    connectionTimeoutMillis: 30_000,
  };
  // few, because a fleet has many processes and each session is a process on the server
  const pool = new Pool({ ...config, max: 3, idleTimeoutMillis: 30_000 });
  // a session that breaks while idle is replaced by the next query
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));

  return {
    place,
    query,
    using,
    openSession,
    bePatient,
    giveUp: () => ending.abort(),
    close: () => pool.end(),
  };

  async function query<Row extends object>(text: string, values: readonly unknown[] = []) {
    return retrying(async () => (await pool.query<Row>(text, [...values])).rows);
  }

  async function using<T>(ask: (client: ClientBase) => Promise<T>): Promise<T> {
    return retrying(async () => {
      const client = await pool.connect();
      let broken = true;
      try {
        const value = await ask(client);
        broken = false;
        return value;
      } finally {
        client.release(broken);
      }
    });
  }

  function openSession(): Promise<Client> {
    return retrying(async () => {
      const client = new Client(config);
      client.on("error", () => undefined);
      try {
        await client.connect();
        return client;
      } catch (error) {
        await client.end().catch(() => undefined);
        throw error;
      }
    });
  }

  function bePatient(): void {
    patienceMs = workPatienceMs;
  }

  async function retrying<T>(action: () => Promise<T>): Promise<T> {
    const end = performance.now() + patienceMs;
    for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, 1000)) {
      try {
        return await action();
      } catch (error) {
        const isLast = ending.signal.aborted || performance.now() + waitMs > end;
        if (isLast || !isUnreachable(error)) throw translatePostgresError(error, place);
        // woken at the end for one last try
        await sleep(waitMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
  }
}

/** The address to show to people. */
export function withoutPassword(url: string): string {
  const shown = URL.parse(url);
  // in a password, an unescaped / or # ends up in what looks like the database name
  if (shown === null || `${shown.pathname}${shown.hash}`.includes("@")) {
    throw new WhetstoneError("config-invalid", "The journal's address isn't a valid PostgreSQL address.", {
      hint: "Write it as postgres://user@host:port/database; the password can be in PGPASSWORD.",
    });
  }
  shown.password = "";
  // they may contain secrets too
  shown.search = "";
  shown.hash = "";
  return shown.href;
}
