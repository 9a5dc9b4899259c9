export interface StopOrderInput {
  /** The incumbent's mean score on each task. */
  readonly incumbent: readonly number[];
  /** How often two trials of each task differ, where it was measured. */
  readonly flipRates?: readonly number[];
}

/** The fixed order in which an exact stop comes soonest: tasks the incumbent failed, then the least steady ones. */
export function orderForStop({ incumbent, flipRates = [] }: StopOrderInput): number[] {
  const flips = (task: number) => flipRates[task] ?? 0;
  return incumbent
    .map((score, task) => ({ score, task }))
    .toSorted((a, b) => a.score - b.score || flips(b.task) - flips(a.task) || a.task - b.task)
    .map(({ task }) => task);
}
