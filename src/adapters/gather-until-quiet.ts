export interface Gathering<T> {
  /** Returns the function for leaving again. */
  add(item: T, isIdle: () => boolean): () => void;
}

/** Consecutive event-loop turns that must be quiet. One that came late after a busy one says nothing. */
const quietTurns = 4;

/** Items that wait for one another. All continue together once no new one comes and nothing else is busy. */
export function gatherUntilQuiet<T>(quietMs: number, goOn: (items: readonly T[]) => void): Gathering<T> {
  let waiting: { readonly item: T; readonly isIdle: () => boolean }[] = [];
  let arrived = 0;
  let timer: NodeJS.Timeout | undefined;

  function watch(seen: number, quiet: number): void {
    timer = setTimeout(() => {
      const isQuiet = seen === arrived && waiting.every(({ isIdle }) => isIdle());
      if (isQuiet && quiet + 1 === quietTurns) return release();
      watch(arrived, isQuiet ? quiet + 1 : 0);
    }, quietMs / quietTurns);
  }

  function release(): void {
    timer = undefined;
    const all = waiting;
    waiting = [];
    goOn(all.map(({ item }) => item));
  }

  return {
    add(item, isIdle) {
      const entry = { item, isIdle };
      waiting.push(entry);
      arrived += 1;
      if (timer === undefined) watch(arrived, 0);
      return () => {
        waiting = waiting.filter((each) => each !== entry);
        if (waiting.length > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}
