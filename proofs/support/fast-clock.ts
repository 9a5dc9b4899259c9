import type { Clock } from "../../src/ports.ts";
import { systemClock } from "../../src/run/session/system-clock.ts";

/** A clock on which back-offs, pauses and probes pass `speed` times as fast; calls take as long as they take. */
export function fastClock(speed: number): Clock {
  const started = systemClock.now();
  return {
    now: () => started + (systemClock.now() - started) * speed,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}
