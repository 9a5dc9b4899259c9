/** The prefix of all our Redis keys, including BullMQ's. */
export const prefix = "whetstone";

export const fleetKeys = {
  /** Names of all lanes that have or had work. */
  lanes: `${prefix}:lanes`,
  /** Ids of workers, including dead ones. */
  workers: `${prefix}:workers`,
  /** Lives as long as the worker does, and says who it is. */
  worker: (id: string) => `${prefix}:worker:${id}`,
  /** A run's settings for workers; lives as long as its coordinator does. */
  run: (run: string) => `${prefix}:run:${run}`,
  /** Messages from workers to a run's coordinator. */
  runEvents: (run: string) => `${prefix}:run:${run}:events`,
  budget: (run: string) => `${prefix}:budget:${run}`,
  /** A run's reservations, by worker. */
  reserved: (run: string) => `${prefix}:budget:${run}:reserved`,
  lane: (lane: string) => `${prefix}:lane:${lane}`,
  /** The limits that runs ask for, by run. */
  ceilings: (lane: string) => `${prefix}:lane:${lane}:ceilings`,
  /** Jobs that take more than one place, by id, with their number of places. */
  wide: (lane: string) => `${prefix}:lane:${lane}:wide`,
  /** Units that crashed too many workers, by job. */
  parked: `${prefix}:parked`,
  /** Units that workers leave to others because their machine lacks something. */
  unable: `${prefix}:unable`,
} as const;

/** BullMQ doesn't allow colons in queue names. */
export const queueName = (lane: string): string => lane.replaceAll("%", "%25").replaceAll(":", "%3A");

/** BullMQ's key for a part of a queue: its limits, its wake-up call, a job. */
export const queueKey = (lane: string, part: string): string => `${prefix}:${queueName(lane)}:${part}`;
