import type { Redis } from "ioredis";
import type { EventBody } from "../../core/events.ts";
import { fleetKeys } from "./fleet-keys.ts";
import { type FleetSeal, openText } from "./fleet-seal.ts";

/** A worker's message to a run's coordinator while the run goes on. */
interface ToldEvent {
  readonly run: string;
  readonly worker: string;
  /** 1, 2, 3, … for this worker. */
  readonly count: number;
  readonly event: EventBody;
}

/** Sealed and numbered, so that the coordinator hears each of our events once, and nobody else's. */
export function tellEvents(redis: Redis, seal: FleetSeal, worker: string) {
  let count = 0;
  return (run: string) => (event: EventBody) => {
    count += 1;
    const told: ToldEvent = { run, worker, count, event };
    const sealed = seal.seal("event", JSON.stringify(told));
    void redis.publish(fleetKeys.runEvents(run), JSON.stringify(sealed)).catch(() => {});
  };
}

/** Repeats the events that workers see during the run, as if they had happened in this process. */
export async function hearEvents(
  redis: Redis,
  seal: FleetSeal,
  run: string,
  emit: (event: EventBody) => void,
): Promise<Redis> {
  const subscriber = redis.duplicate();
  /** By worker. */
  const heard = new Map<string, number>();
  subscriber.on("error", () => {});
  subscriber.on("message", (_, json: string) => {
    const text = openText(seal, "event", json);
    if (text === undefined) return;
    const told = JSON.parse(text) as ToldEvent;
    if (told.run !== run || told.count <= (heard.get(told.worker) ?? 0)) return;
    heard.set(told.worker, told.count);
    emit(told.event);
  });
  await subscriber.subscribe(fleetKeys.runEvents(run));
  return subscriber;
}
