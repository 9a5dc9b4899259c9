import { runWorkers } from "./run-workers.ts";

/** What one repetition adds up to. */
export type Counts = Readonly<Record<string, number>>;

/** One line of a worker: the counts of a cell, over the repetitions that were its part. */
export interface CellCounts {
  readonly cell: number;
  readonly counts: Counts;
}

export interface SharedWork {
  readonly script: string;
  readonly cells: number;
  readonly repetitions: number;
  readonly workers: number;
  readonly seed: number;
  /** More arguments of the script. */
  readonly options?: readonly (string | number)[];
  readonly onCell?: (cell: number) => void;
}

/** Lets every worker do its part of the repetitions of all cells, and adds their counts up, cell by cell. */
export async function shareRepetitions(work: SharedWork): Promise<readonly Counts[]> {
  const { script, cells, repetitions, workers, seed, options = [], onCell } = work;
  const lines = await runWorkers<CellCounts>(
    script,
    Array.from({ length: workers }, (_, worker) => [worker, workers, seed, repetitions, ...options]),
    ({ cell }) => onCell?.(cell),
  );
  return Array.from({ length: cells }, (_, cell) =>
    addCounts(lines.flat().flatMap((line) => (line.cell === cell ? [line.counts] : []))),
  );
}

/** node worker.ts <worker> <workers> <seed> <repetitions>: one line of counts for each cell. */
export async function doPart<Cell>(
  cells: readonly Cell[],
  run: (cell: Cell, repetition: number, seed: number) => Promise<Counts>,
  repetitionsOf: (cell: Cell, repetitions: number) => number = (_, repetitions) => repetitions,
): Promise<void> {
  const [worker = 0, workers = 1, seed = 1, repetitions = 1] = process.argv.slice(2).map(Number);
  for (const [at, cell] of cells.entries()) {
    const all: Counts[] = [];
    for (let repetition = worker; repetition < repetitionsOf(cell, repetitions); repetition += workers)
      all.push(await run(cell, repetition, seed));
    process.stdout.write(`${JSON.stringify({ cell: at, counts: addCounts(all) } satisfies CellCounts)}\n`);
  }
}

function addCounts(all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {};
  for (const counts of all)
    for (const [key, value] of Object.entries(counts)) sums[key] = (sums[key] ?? 0) + value;
  return sums;
}
