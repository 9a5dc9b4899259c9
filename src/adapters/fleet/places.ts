/** Places on one machine, first come, first served. */
export interface Places {
  /** Resolves with the requested number, or with all places if there are fewer. */
  take(wanted: number): Promise<number>;
  giveBack(count: number): void;
}

export function createPlaces(most: number): Places {
  const waiting: { readonly count: number; readonly begin: () => void }[] = [];
  let free = most;

  function pump(): void {
    for (let [next] = waiting; next !== undefined && next.count <= free; [next] = waiting) {
      waiting.shift();
      free -= next.count;
      next.begin();
    }
  }

  return {
    take: (wanted) =>
      new Promise((resolve) => {
        const count = Math.min(wanted, most);
        waiting.push({ count, begin: () => resolve(count) });
        pump();
      }),
    giveBack(count) {
      free += count;
      pump();
    },
  };
}
