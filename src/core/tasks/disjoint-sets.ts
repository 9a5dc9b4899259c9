/** Disjoint sets of the numbers 0 … size-1, which can be joined but not split. */
export interface DisjointSets {
  /** The number that represents the item's set. */
  find(item: number): number;
  /** Joins two sets; false if both were in the same set already. */
  join(a: number, b: number): boolean;
}

export function disjointSets(size: number): DisjointSets {
  const parents = Array.from({ length: size }, (_, item) => item);
  const find = (item: number): number => {
    let root = item;
    for (let up = parents[root] ?? root; up !== root; up = parents[root] ?? root) {
      // halving the path keeps later lookups short
      parents[root] = parents[up] ?? up;
      root = up;
    }
    return root;
  };
  const join = (a: number, b: number): boolean => {
    const [one, other] = [find(a), find(b)];
    if (one === other) return false;
    // the smaller number represents both, so the result doesn't depend on the order of joins
    parents[Math.max(one, other)] = Math.min(one, other);
    return true;
  };
  return { find, join };
}
