/**
 * The share of alpha that a question takes from a task with this much `left`. The first question gets three fifths. The
 * next ten together get two thirds of the rest, the ten after those get two thirds of what is left then, and so on.
 */
export function payOf(left: number): number {
  if (left >= 1 - rounding) return first;
  // next to nothing, but never zero
  if (left <= rounding) return rounding / 1000;
  let rest = 1 - first;
  while (left < rest / 3 + rounding * rest) rest /= 3;
  return (rest * 2) / 3 / 10;
}

const first = 3 / 5;

const rounding = 1e-9;

/** The fraction of a question's share that each look gets: more trials of the same texts aren't a second chance. */
export const lookPart = (look: number): number => (look === 1 ? 0.9 : 0.1 / 2 ** (look - 1));

/** The threshold for the first look at a question, if `alpha` is the tasks' whole error budget. Trials are planned for it. */
export const firstBar = (alpha: number, pay = payOf(1)): number => alpha * pay * lookPart(1);

/** With a fading memory, a question counts half after this many more. */
export const halfLife = 30;

/** The rest of a task's account after these questions, in order. */
export function leftAfter(paid: readonly number[], memory: "lasts" | "fades" = "lasts"): number {
  const weightOf = (at: number) => (memory === "lasts" ? 1 : 2 ** (-(paid.length - at) / halfLife));
  return Math.max(1 - paid.reduce((sum, pay, at) => sum + pay * weightOf(at), 0), 0);
}
