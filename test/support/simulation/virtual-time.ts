import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../../src/core/ports/clock.ts";

/** Time that moves only when told to, so that an hour takes a millisecond and every run can be repeated. */
export interface VirtualTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A process of its own: what it waits for dies with it. */
  startProcess(): VirtualProcess;
  /** Adds a line to the history. */
  note(line: string): void;
  /** The hash of all that has happened: the same seed gives the same history. */
  history(): string;
  /**
   * Lets all code run that waits for nothing but its turn, then goes to the next moment at which something is
   * due. Of what is due then, one or several things happen, in seeded order. False when nothing is due, ever.
   */
  advance(): Promise<boolean>;
}

export interface VirtualProcess {
  readonly clock: Clock;
  readonly isAlive: boolean;
  /** Happens after `ms` if the process still lives. Gives a function that takes it back. */
  after(ms: number, name: string, happen: () => void): () => void;
  /** From now on nothing that it waits for happens, and nothing new can be waited for. */
  kill(): void;
}

interface Due {
  readonly at: number;
  readonly name: string;
  readonly happen: () => void;
}

/**
 * `random` decides in which order things happen that are due at the same moment.
 *
 * @example
 * const time = virtualTime(Math.random);
 * time.startProcess().after(3_600_000, "an hour later", () => console.log(time.now()));
 * while (await time.advance());
 */
export function virtualTime(random: () => number, start = Date.UTC(2026, 0, 1)): VirtualTime {
  const hash = createHash("sha256");
  const waiting = new Set<Due>();
  let now = start;

  const note = (line: string) => void hash.update(`${now - start} ${line}\n`);

  async function advance(): Promise<boolean> {
    await letCodeRun();
    if (waiting.size === 0) return false;
    now = Math.max(now, Math.min(...[...waiting].map(({ at }) => at)));
    // what happens in one go shares an event-loop turn, and so one transaction of the journal
    for (let inOneGo = 1 + Math.floor(random() * 4); inOneGo > 0; inOneGo -= 1) {
      const ready = [...waiting].filter(({ at }) => at <= now);
      const chosen = ready[Math.floor(random() * ready.length)];
      if (chosen === undefined) break;
      waiting.delete(chosen);
      note(chosen.name);
      chosen.happen();
    }
    return true;
  }

  function startProcess(): VirtualProcess {
    let isAlive = true;
    const own = new Set<Due>();

    function after(ms: number, name: string, happen: () => void): () => void {
      const due: Due = {
        at: now + Math.max(0, Math.ceil(ms)),
        name,
        happen: () => {
          own.delete(due);
          happen();
        },
      };
      const cancel = () => {
        own.delete(due);
        waiting.delete(due);
      };
      if (isAlive) {
        own.add(due);
        waiting.add(due);
      }
      return cancel;
    }

    return {
      after,
      clock: { now: () => now, sleep: (ms, signal) => sleep(after, ms, signal) },
      get isAlive() {
        return isAlive;
      },
      kill() {
        isAlive = false;
        for (const due of own) waiting.delete(due);
        own.clear();
      },
    };
  }

  return { now: () => now, startProcess, note, history: () => hash.copy().digest("hex"), advance };
}

function sleep(after: VirtualProcess["after"], ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = after(ms, "wake", () => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    });
    if (signal?.aborted === true) return giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
  });
}

/** A journal gathers what is written in one turn and writes in the next, so two turns do not suffice. */
async function letCodeRun(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
}
