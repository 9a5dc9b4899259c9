/**
 * The share of alpha that a question takes from a task with this much `left`. Three fifths go to the first question. Two
 * thirds of the rest go to the next ten together, two thirds of what is left then to the ten after those, and so on.
 */
export function payOf(left: number): number {
  if (left >= 1 - rounding) return first;
  // next to nothing, but never nothing
  if (left <= rounding) return rounding / 1000;
  let rest = 1 - first;
  while (left < rest / 3 + rounding * rest) rest /= 3;
  return (rest * 2) / 3 / 10;
}

const first = 3 / 5;

const rounding = 1e-9;

/** The part of a question's share that its k-th look has: more trials of the same texts aren't a second chance. */
export const lookPart = (look: number): number => (look === 1 ? 0.9 : 0.1 / 2 ** (look - 1));

/** The bar of the first look at a question on tasks that may get `alpha` wrong in all; by this one trials are planned. */
export const firstBar = (alpha: number, pay = payOf(1)): number => alpha * pay * lookPart(1);

/** In a memory that fades, a question counts half after so many more. */
export const halfLife = 30;

/** The rest of a task's account after these questions, in their order. */
export function leftAfter(paid: readonly number[], memory: "lasts" | "fades" = "lasts"): number {
  const weightOf = (at: number) => (memory === "lasts" ? 1 : 2 ** (-(paid.length - at) / halfLife));
  return Math.max(1 - paid.reduce((sum, pay, at) => sum + pay * weightOf(at), 0), 0);
}
