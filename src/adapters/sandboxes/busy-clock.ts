export interface BusyClock {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** For the time the agent itself makes us wait. */
  pause(wait: () => Promise<void>): Promise<void>;
  busyMs(): number;
}

/** Measures the time in which at least one thing was running, counted once. */
export function busyClock(): BusyClock {
  let [running, since, total] = [0, 0, 0];
  const enter = (): void => {
    if (running === 0) since = performance.now();
    running += 1;
  };
  const leave = (): void => {
    running -= 1;
    if (running === 0) total += performance.now() - since;
  };
  return {
    async run(work) {
      enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    async pause(wait) {
      leave();
      try {
        await wait();
      } finally {
        enter();
      }
    },
    busyMs: () => total + (running > 0 ? performance.now() - since : 0),
  };
}
