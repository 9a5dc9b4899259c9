import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../src/ports.ts";

/** A clock on which back-offs, pauses and probes pass `speed` times as fast; calls take as long as they take. */
export function fastClock(speed: number): Clock {
  const started = Date.now();
  return {
    now: () => started + (Date.now() - started) * speed,
    async sleep(ms, signal) {
      try {
        await sleep(ms / speed, undefined, { signal });
      } catch (error) {
        throw signal?.aborted === true ? (signal.reason as Error) : error;
      }
    },
  };
}
