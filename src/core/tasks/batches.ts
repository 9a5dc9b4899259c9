import { seededRandom, shuffle } from "../random.ts";
import type { Task } from "./task.ts";

export interface BatchOptions {
  readonly epochs: number;
  readonly batchSize: number;
  readonly seed: number;
}

/** Epoch → batch → tasks. Each epoch is one seeded shuffle of train, cut in order; the last batch may be short. */
export function planBatches(
  train: readonly Task[],
  { epochs, batchSize, seed }: BatchOptions,
): readonly (readonly (readonly Task[])[])[] {
  return Array.from({ length: epochs }, (_, epoch) => {
    const order = shuffle(train, seededRandom("batches", seed, epoch));
    const batches = Math.ceil(order.length / batchSize);
    return Array.from({ length: batches }, (_, at) => order.slice(at * batchSize, (at + 1) * batchSize));
  });
}
