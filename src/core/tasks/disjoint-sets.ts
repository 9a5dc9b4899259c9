/** Sets of numbers 0 … size-1 that can only grow together. */
export interface DisjointSets {
  /** The number that stands for the set. */
  find(item: number): number;
  /** False when both were in one set already. */
  join(a: number, b: number): boolean;
}

export function disjointSets(size: number): DisjointSets {
  const parents = Array.from({ length: size }, (_, item) => item);
  const find = (item: number): number => {
    let root = item;
    for (let up = parents[root] ?? root; up !== root; up = parents[root] ?? root) {
      // halving the path on the way keeps later walks short
      parents[root] = parents[up] ?? up;
      root = up;
    }
    return root;
  };
  const join = (a: number, b: number): boolean => {
    const [one, other] = [find(a), find(b)];
    if (one === other) return false;
    // the smaller number stands for both, so the result does not depend on the order of joins
    parents[Math.max(one, other)] = Math.min(one, other);
    return true;
  };
  return { find, join };
}
