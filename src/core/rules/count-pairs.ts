import { type WorthModel, modelConstants } from "./rule-model.ts";

/**
 * The evidence about the rules and the middle if each result counts by itself: how often two rules were in a text
 * together, and the scores of those texts. A rehearsal draws its results this way, and needs no more.
 */
export function countPairs({ cells, fit: { noise, tau } }: WorthModel, size: number) {
  const precision = new Float64Array(size * size);
  const shift = new Float64Array(size);
  for (const { columns, count, sum } of cells.values()) {
    const variance = modelConstants.spread ** 2 + tau ** 2 * columns.length + noise;
    const own = [...columns, size - 1];
    for (const column of own) {
      shift[column] = (shift[column] as number) + sum / variance;
      const row = column * size;
      for (const other of own) precision[row + other] = (precision[row + other] as number) + count / variance;
    }
  }
  return { precision, shift };
}
