import type { SSEStreamingApi } from "hono/streaming";
import { watchJournal } from "../../adapters/journals/watch-journal.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { eventOf } from "../../run/reports/runs.ts";

export interface StreamOptions {
  readonly run: string;
  /** The number of the last event that the reader has; without it, what happens from now on is sent, or its end. */
  readonly after: number | undefined;
  /** For a journal that does not tell what is new. */
  readonly pollMs: number;
  readonly heartbeatMs: number;
}

/** Sends each new event of a run as it appears in the journal, until the run has ended: the run is another process. */
export async function streamEvents(
  stream: SSEStreamingApi,
  journal: Journal,
  { run, after, pollMs, heartbeatMs }: StreamOptions,
): Promise<void> {
  const filter = { run, kinds: ["event"] } as const;
  const send = (event: RunEvent) => stream.writeSSE({ data: JSON.stringify(event), id: String(event.seq) });
  let seen = 0;
  let end: RunEvent | undefined;
  for await (const entry of journal.read(filter)) {
    if (stream.aborted) return;
    const event = eventOf(entry);
    seen = entry.seq;
    // a stopped run may be started again
    if (event.type === "run-start") end = undefined;
    if (isEnd(event)) end = event;
    if (after !== undefined && event.seq > after) await send(event);
  }
  if (end !== undefined) {
    // it ended just before the reader came, who would wait for it
    if (after === undefined) await send(end);
    return;
  }
  const stop = new AbortController();
  stream.onAbort(() => stop.abort());
  // at once, so that the reader knows that it is heard
  const hold = () => void stream.write(": still here\n\n");
  hold();
  let heartbeat = setInterval(hold, heartbeatMs);
  try {
    for await (const entry of watchJournal(
      journal,
      { ...filter, after: seen },
      { signal: stop.signal, pollMs },
    )) {
      const event = eventOf(entry);
      await send(event);
      if (isEnd(event)) return;
      clearInterval(heartbeat);
      heartbeat = setInterval(hold, heartbeatMs);
    }
  } finally {
    clearInterval(heartbeat);
  }
}

const isEnd = ({ type }: RunEvent): boolean => type === "run-end" || type === "run-removed";
