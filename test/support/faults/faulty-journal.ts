import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry, Journal, ReadFilter } from "../../../src/ports.ts";
import type { CrashPoint } from "./crash-point.ts";

/**
 * A journal whose owner dies at a chosen write. Writes of one event-loop turn live or die together, as in the
 * transaction that holds them. The journal inside stays open: closing it releases its locks, as a death does.
 *
 * @example
 * const dyingAtItsSecondWrite = (journal: Journal) => faultyJournal(journal, crashPoint({ at: 2 }));
 */
export function faultyJournal(journal: Journal, crash: CrashPoint): Journal {
  return {
    get: (key) => crash.survive(journal.get(key)),
    write: (entry) =>
      crash.operate(async () => {
        await crash.survive(nextTurn());
        return journal.write(entry);
      }),
    read: (filter) => readUntilDeath(journal, crash, filter),
    lock: (run) => crash.survive(journal.lock(run)),
    close: () => crash.survive(journal.close()),
  };
}

async function* readUntilDeath(
  journal: Journal,
  crash: CrashPoint,
  filter?: ReadFilter,
): AsyncGenerator<Entry> {
  for await (const entry of journal.read(filter)) yield await crash.survive(Promise.resolve(entry));
}
