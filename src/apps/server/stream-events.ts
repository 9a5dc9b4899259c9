import type { SSEStreamingApi } from "hono/streaming";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { eventOf } from "../../run/runs.ts";

export interface StreamPlan {
  readonly run: string;
  /** The number of the last event that the reader has; without it, what happens from now on is sent, or its end. */
  readonly after: number | undefined;
  readonly pollMs: number;
  readonly heartbeatMs: number;
}

/**
 * Sends each new event of a run as it appears in the journal, until the run has ended. It polls: the run is another
 * process, and a reader of the journal never holds it up.
 */
export async function streamEvents(
  stream: SSEStreamingApi,
  journal: Journal,
  { run, after, pollMs, heartbeatMs }: StreamPlan,
): Promise<void> {
  let entrySeen = 0;
  let eventSeen = after ?? Number.POSITIVE_INFINITY;
  let end: RunEvent | undefined;
  // once all that was there is read, the reader is told that it is heard
  let quietMs = heartbeatMs;
  const send = (event: RunEvent) => stream.writeSSE({ data: JSON.stringify(event), id: String(event.seq) });
  while (!stream.aborted) {
    for await (const entry of journal.read({ run, kinds: ["event"], after: entrySeen })) {
      if (stream.aborted) return;
      const event = eventOf(entry);
      entrySeen = entry.seq;
      // a stopped run may be started again
      if (event.type === "run-start") end = undefined;
      if (event.type === "run-end" || event.type === "run-removed") end = event;
      if (event.seq <= eventSeen) continue;
      await send(event);
      quietMs = 0;
    }
    if (end !== undefined) {
      // it ended just before the reader came, who would wait for it
      if (eventSeen === Number.POSITIVE_INFINITY) await send(end);
      return;
    }
    // what was there when the reader came has been passed over
    if (after === undefined) eventSeen = 0;
    if (quietMs >= heartbeatMs) {
      await stream.write(": still here\n\n");
      quietMs = 0;
    }
    await stream.sleep(pollMs);
    quietMs += pollMs;
  }
}
