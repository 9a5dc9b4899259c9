import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { Entry, ReadFilter } from "../../../core/ports/journal.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

export interface PostgresWatch {
  /** What there is and then what comes, until the signal or the end of the journal. */
  watch(filter: ReadFilter, signal: AbortSignal): AsyncGenerator<Entry>;
  close(): Promise<void>;
}

// writes that come together are read together
const gatherMs = 20;

/** Each batch is announced; the cursor is the number of the last entry, so that nothing is missed or given twice. */
export function postgresWatch(
  connection: PostgresConnection,
  read: (filter: ReadFilter) => AsyncIterable<Entry>,
  pollMs: number,
): PostgresWatch {
  const waiting = new Set<() => void>();
  let announced = 0;
  let session: Promise<Client> | undefined;
  let isClosed = false;

  return { watch, close };

  async function* watch(filter: ReadFilter, signal: AbortSignal): AsyncGenerator<Entry> {
    let after = filter.after ?? 0;
    const isOver = () => isClosed || signal.aborted;
    while (!isOver()) {
      // before reading: what is written in between is announced
      session ??= listen();
      await session;
      const before = announced;
      for await (const entry of read({ ...filter, after })) {
        if (isOver()) return;
        after = entry.seq;
        yield entry;
      }
      if (announced === before) await news(signal);
      if (!isOver()) await sleep(gatherMs);
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    wake();
    const client = await session?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  async function listen(): Promise<Client> {
    try {
      const client = await connection.openSession();
      client.on("notification", wake);
      client.once("end", () => {
        session = undefined;
        wake();
      });
      await client.query("LISTEN whetstone");
      return client;
    } catch (error) {
      session = undefined;
      throw error;
    }
  }

  function wake(): void {
    announced += 1;
    for (const resume of waiting) resume();
  }

  function news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        waiting.delete(resume);
        clearTimeout(timer);
        signal.removeEventListener("abort", resume);
        resolve();
      };
      const timer = setTimeout(resume, pollMs);
      waiting.add(resume);
      signal.addEventListener("abort", resume);
      if (signal.aborted || isClosed) resume();
    });
  }
}
