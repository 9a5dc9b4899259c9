import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../core/ports/clock.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await sleep(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.aborted === true ? (signal.reason as Error) : error;
    }
  },
};
