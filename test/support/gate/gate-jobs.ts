import { type ClaimCell, type ClaimResult, runClaimCell } from "./gate-claims.ts";

/** One cell. Cells are independent, so that workers can share them. */
export interface JobResult {
  readonly cell: ClaimCell;
  readonly result: ClaimResult;
}

export const claimTasks = [4, 10, 20, 50, 100, 200] as const;
export const claimTrials = [1, 3, 5] as const;
export const claimEffects = [-10, -5, 0, 5, 10, 20] as const;

export const runJob = (cell: ClaimCell, seed: number): JobResult => ({
  cell,
  result: runClaimCell(cell, seed),
});

/** @param nulls decisions of a cell without an effect; the others have fewer, and intervals take long */
export function planJobs(nulls: number): ClaimCell[] {
  const [others, intervals] = [Math.ceil(nulls / 10), Math.ceil(nulls / 100)];
  return claimTasks.flatMap((tasks) =>
    claimTrials.flatMap((trials) => [
      ...claimEffects.map((effect): ClaimCell => {
        const decisions = effect === 0 ? nulls : others;
        return { tasks, trials, effect, kind: "even", decisions, intervals };
      }),
      { tasks, trials, effect: 0, kind: "mixed", decisions: nulls, intervals } as const,
    ]),
  );
}
