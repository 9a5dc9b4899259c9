/** Every key of ours in Redis begins with it, and those of BullMQ too. */
export const prefix = "whetstone";

export const fleetKeys = {
  /** Names of all lanes that have, or had, work. */
  lanes: `${prefix}:lanes`,
  /** Ids of workers, dead ones too. */
  workers: `${prefix}:workers`,
  /** Lives as long as the worker does; says who it is. */
  worker: (id: string) => `${prefix}:worker:${id}`,
  /** What workers need to know of a run; lives as long as its coordinator does. */
  run: (run: string) => `${prefix}:run:${run}`,
  /** What workers tell the coordinator of a run while it goes on. */
  runEvents: (run: string) => `${prefix}:run:${run}:events`,
  budget: (run: string) => `${prefix}:budget:${run}`,
  /** What is set aside in a run, by worker. */
  reserved: (run: string) => `${prefix}:budget:${run}:reserved`,
  lane: (lane: string) => `${prefix}:lane:${lane}`,
  /** The limits that runs ask for, by run. */
  ceilings: (lane: string) => `${prefix}:lane:${lane}:ceilings`,
  /** Jobs that take more than one place, by id, and how many places that makes. */
  wide: (lane: string) => `${prefix}:lane:${lane}:wide`,
  /** Units that ended too many workers, by job. */
  parked: `${prefix}:parked`,
  /** What workers leave to others, because something is missing on their machine. */
  unable: `${prefix}:unable`,
} as const;

/** BullMQ forbids the colon in the names of queues. */
export const queueName = (lane: string): string => lane.replaceAll("%", "%25").replaceAll(":", "%3A");

/** Where BullMQ keeps something of a queue: its limits, its wake-up call, a job. */
export const queueKey = (lane: string, part: string): string => `${prefix}:${queueName(lane)}:${part}`;
