/** What a review knows of how a rule was measured. */
interface MeasuredRule {
  readonly status: string;
  readonly works: boolean;
  /** By task: sums of scores over as many rollouts. */
  readonly measured: readonly { readonly with: number; readonly without: number }[];
}

/** One task may be of the wrong kind. */
const fewestTasks = 2;

/**
 * Whether a rule was measured and did no better with it than without, over all tasks of its habit. It stays on offer, and is taken
 * only by name. A rule that works or is proven is never left out.
 */
export function isWithoutEffect({ status, works, measured }: MeasuredRule): boolean {
  const gain = measured.reduce((sum, task) => sum + task.with - task.without, 0);
  // sums of parts of a point are not exact
  return status !== "proven" && !works && measured.length >= fewestTasks && gain < 1e-9;
}
