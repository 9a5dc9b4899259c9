import { type ClaimCell, type ClaimResult, runClaimCell } from "./gate-claims.ts";
import type { GateName } from "./gate-rivals.ts";
import { type SealedResult, type SearchResult, runSealedCell, runSearchCell } from "./gate-search.ts";
import type { SearchCell } from "./gate-world.ts";

/** One cell of one table. Cells are independent, so that workers can share them. */
export type GateJob =
  | { readonly kind: "claim"; readonly cell: ClaimCell }
  | {
      readonly kind: "search";
      readonly table: SearchTable;
      readonly cell: SearchCell;
      readonly gate: GateName;
      readonly repetitions: number;
    }
  | { readonly kind: "sealed"; readonly cell: SearchCell; readonly repetitions: number };

export type SearchTable = "main" | "weak" | "beyond";

export type JobResult =
  | { readonly kind: "claim"; readonly cell: ClaimCell; readonly result: ClaimResult }
  | {
      readonly kind: "search";
      readonly table: SearchTable;
      readonly cell: SearchCell;
      readonly gate: GateName;
      readonly repetitions: number;
      readonly result: SearchResult;
    }
  | {
      readonly kind: "sealed";
      readonly cell: SearchCell;
      readonly repetitions: number;
      readonly result: SealedResult;
    };

export const claimTasks = [4, 10, 20, 50, 100, 200] as const;
export const claimTrials = [1, 3, 5] as const;
export const claimEffects = [-10, -5, 0, 5, 10, 20] as const;
export const sealedSize = { tasks: 100, trials: 3 } as const;

export function planJobs(short: boolean): GateJob[] {
  return [...claimJobs(short), ...searchJobs(short), ...sealedJobs(short)];
}

export function runJob(job: GateJob, seed: number): JobResult {
  if (job.kind === "claim") return { ...job, result: runClaimCell(job.cell, seed) };
  if (job.kind === "sealed") {
    return { ...job, result: runSealedCell(job.cell, sealedSize, job.repetitions, seed) };
  }
  return { ...job, result: runSearchCell(job.cell, job.gate, job.repetitions, seed) };
}

function claimJobs(short: boolean): GateJob[] {
  const [nulls, others, intervals] = short ? [300, 40, 3] : [20_000, 2_000, 400];
  return claimTasks.flatMap((tasks) =>
    claimTrials.flatMap((trials) => [
      ...claimEffects.map((effect): GateJob => {
        const decisions = effect === 0 ? nulls : others;
        return { kind: "claim", cell: { tasks, trials, effect, kind: "even", decisions, intervals } };
      }),
      { kind: "claim", cell: { tasks, trials, effect: 0, kind: "mixed", decisions: nulls, intervals } },
    ]),
  );
}

const usual = { decisions: 40, scale: 1, scores: "pass-fail", isFalling: false } as const;
const everyGate: readonly GateName[] = ["strict", "test", "confirm", "reference", "filter"];
const fewGates: readonly GateName[] = ["strict", "confirm", "reference", "filter"];

function searchJobs(short: boolean): GateJob[] {
  const jobs = (
    table: SearchTable,
    gates: readonly GateName[],
    repetitions: number,
    cells: readonly SearchCell[],
  ) =>
    cells.flatMap((cell) =>
      gates.map((gate): GateJob => ({ kind: "search", table, cell, gate, repetitions })),
    );
  if (short) {
    const small = [
      { ...usual, tasks: 20, base: 0.5, mix: "mild" },
      { ...usual, tasks: 50, base: 0.7, mix: "hostile" },
    ] as const;
    const weak = { ...usual, tasks: 10, base: 0.7, mix: "hostile" } as const;
    return [...jobs("main", everyGate, 40, small), ...jobs("weak", fewGates, 40, [weak])];
  }
  const mixes = ["mild", "hostile"] as const;
  const main = mixes.flatMap((mix) =>
    [0.5, 0.7].flatMap((base) => [20, 50, 100].map((tasks) => ({ ...usual, tasks, base, mix }))),
  );
  return [
    ...jobs("main", everyGate, 400, main),
    ...jobs("weak", fewGates, 1000, weakCells()),
    ...jobs("beyond", fewGates, 400, beyondCells()),
  ];
}

/** Where the reference ends below the original: few tasks and hostile proposals, or effects half as large. */
function weakCells(): SearchCell[] {
  const hostile = { ...usual, mix: "hostile" } as const;
  return [0.5, 0.7].flatMap((base) => [
    { ...hostile, base, tasks: 10 },
    { ...hostile, base, tasks: 20 },
    { ...hostile, base, tasks: 20, scale: 0.5 },
  ]);
}

/** What the reference did not try. */
function beyondCells(): SearchCell[] {
  const base = 0.7;
  return [20, 100].flatMap((tasks): SearchCell[] => [
    { ...usual, base, tasks, mix: "mild", decisions: 10 },
    { ...usual, base, tasks, mix: "hostile", decisions: 10 },
    { ...usual, base, tasks, mix: "mild", decisions: 100 },
    { ...usual, base, tasks, mix: "hostile", decisions: 100 },
    { ...usual, base, tasks, mix: "mild", scores: "graded" },
    { ...usual, base, tasks, mix: "hostile", scores: "graded" },
    { ...usual, base, tasks, mix: "mild", isFalling: true },
    { ...usual, base, tasks, mix: "mild", scale: 0.5 },
    { ...usual, base, tasks, mix: "mild", scores: "fixed" },
  ]);
}

function sealedJobs(short: boolean): GateJob[] {
  const mixes = short ? (["worthless"] as const) : (["worthless", "hostile", "mild"] as const);
  return mixes.flatMap((mix) =>
    (short ? [50] : [20, 50, 100]).map((tasks): GateJob => {
      const cell = { ...usual, tasks, base: 0.7, mix };
      return { kind: "sealed", cell, repetitions: short ? 60 : 400 };
    }),
  );
}
