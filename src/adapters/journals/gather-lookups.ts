import { setImmediate as nextTurn } from "node:timers/promises";

const atOnce = 100;

/** Combines the lookups of one event-loop turn into one. */
export function gatherLookups<T>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | undefined> {
  let open: { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, T>> } | undefined;

  return async (key) => {
    if (open === undefined || open.keys.size === atOnce) open = start();
    open.keys.add(key);
    return (await open.found).get(key);
  };

  function start() {
    const keys = new Set<string>();
    const batch = { keys, found: ask() };
    return batch;

    async function ask() {
      await nextTurn();
      if (open === batch) open = undefined;
      return load([...keys]);
    }
  }
}
