import type { Rule } from "../rules/rule.ts";

/** One task may be of the wrong kind. */
const fewestTasks = 2;

/**
 * Whether a rule was measured and did no better with it than without, over all tasks of its habit. It stays on offer, and is taken
 * only by name. A rule that works or is proven is never left out.
 */
export function isWithoutEffect({
  status,
  works,
  evidence,
}: Pick<Rule, "status" | "works" | "evidence">): boolean {
  const tosses = evidence.filter((one) => one.kind === "tosses");
  const gain = tosses.reduce((sum, task) => sum + task.with - task.without, 0);
  // sums of parts of a point are not exact
  return status !== "proven" && !works && tosses.length >= fewestTasks && gain < 1e-9;
}
