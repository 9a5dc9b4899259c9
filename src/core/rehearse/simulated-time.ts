import type { Clock } from "../ports/clock.ts";
import { nearCalls } from "../ports/model.ts";

/** Time that jumps ahead instead of passing. */
export interface SimulatedTime extends Clock {
  /** Runs a body to its end. Whenever nothing can continue by itself, time jumps to the next due event. */
  drive<T>(body: () => Promise<T>): Promise<T>;
  /** Takes a slot in a lane for some milliseconds. */
  occupy(lane: string, concurrency: AtATime, ms: number): Promise<void>;
}

/** How many calls run at a time. `climbsTo`: a local server, which gets more and more calls up to this limit. */
export type AtATime = number | "auto" | { readonly climbsTo: number };

interface Lane {
  busy: number;
  ended: number;
  readonly waiting: (() => void)[];
}

/** `turn` resolves once everything that can continue has done so. */
export function simulatedTime(turn: () => Promise<void>): SimulatedTime {
  let now = 0;
  const due = createQueue();
  const lanes = new Map<string, Lane>();
  const sleep = (ms: number) => new Promise<void>((wake) => due.add(now + ms, wake));

  return {
    now: () => now,
    sleep,
    async drive(body) {
      const progress = { isOver: false };
      const work = body().finally(() => {
        progress.isOver = true;
      });
      work.catch(() => {});
      while (!progress.isOver) {
        await turn();
        const next = due.next();
        if (progress.isOver || next === undefined) continue;
        now = next.at;
        for (const wake of next.wakes) wake();
      }
      return work;
    },
    async occupy(name, concurrency, ms) {
      const lane = lanes.get(name) ?? { busy: 0, ended: 0, waiting: [] };
      lanes.set(name, lane);
      if (lane.busy >= limitOf(lane, concurrency))
        await new Promise<void>((begin) => lane.waiting.push(begin));
      else lane.busy += 1;
      await sleep(ms);
      lane.busy -= 1;
      lane.ended += 1;
      for (const limit = limitOf(lane, concurrency); lane.busy < limit && lane.waiting.length > 0; ) {
        lane.busy += 1;
        lane.waiting.shift()?.();
      }
    },
  };
}

/** Roughly like a real lane's limit: it starts low and rises with every success. */
function limitOf({ ended }: Lane, atATime: AtATime): number {
  if (ended === 0) return 1;
  if (atATime === "auto") return Math.min(12 + ended, 1024);
  if (typeof atATime === "number") return atATime;
  return Math.min(nearCalls * 2 ** Math.floor(ended / leastEnds), atATime.climbsTo);
}

/** The number of finished calls before a lane doubles its limit. */
const leastEnds = 8;

/** A heap of due events, earliest first. */
function createQueue() {
  const instants: number[] = [];
  const wakes = new Map<number, (() => void)[]>();
  const swap = (a: number, b: number) => {
    [instants[a], instants[b]] = [instants[b] as number, instants[a] as number];
  };
  const at = (index: number) => instants[index] ?? Number.POSITIVE_INFINITY;
  return {
    add(instant: number, wake: () => void) {
      const known = wakes.get(instant);
      if (known !== undefined) return void known.push(wake);
      wakes.set(instant, [wake]);
      let child = instants.push(instant) - 1;
      for (let parent = (child - 1) >> 1; child > 0 && at(parent) > at(child); parent = (child - 1) >> 1) {
        swap(parent, child);
        child = parent;
      }
    },
    next() {
      const [first] = instants;
      if (first === undefined) return undefined;
      const last = instants.pop() as number;
      if (instants.length > 0) instants[0] = last;
      for (let parent = 0; ; ) {
        const left = 2 * parent + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (at(child) >= at(parent)) break;
        swap(parent, child);
        parent = child;
      }
      const due = wakes.get(first) ?? [];
      wakes.delete(first);
      return { at: first, wakes: due };
    },
  };
}
