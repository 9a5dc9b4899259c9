import { hashText } from "./canonical.ts";

/**
 * A reproducible stream of numbers in [0, 1): the same name gives the same stream anywhere.
 *
 * @example
 * const random = seededRandom("worlds", 7);
 * console.log(random(), random());
 */
export function seededRandom(...name: readonly (string | number)[]): () => number {
  const digest = hashText(name.join("\u0000"));
  const word = (at: number) => Number.parseInt(digest.slice(at * 8, at * 8 + 8), 16);
  let [a, b, c, d] = [word(0), word(1), word(2), word(3)];
  // sfc32 is small, fast and passes PractRand; we don't need cryptographic strength
  return () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
}

/**
 * Shuffles into a new array, in seeded order (Fisher–Yates).
 *
 * @example
 * console.log(shuffle(["a", "b", "c"], seededRandom("order", 1)));
 */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const held = shuffled[last] as T;
    shuffled[last] = shuffled[other] as T;
    shuffled[other] = held;
  }
  return shuffled;
}
