import { chanceBelow } from "../gate/claim/normal.ts";
import { fitRules, forgetRules } from "./fit-rules.ts";
import type { Cell, WorthModel } from "./rule-model.ts";
import { type BlockSums, gatherBlocks, makeBlocks } from "./unit-blocks.ts";

/** How well results agree with predictions from tasks that had no part in them. */
export interface CrossFit {
  /** 1: as predicted; 0: the predictions are worthless. */
  readonly slope: number;
  /** The chance that the slope is above zero. */
  readonly holds: number;
}

export const trustConstants = {
  /** Before any result: rules were partly chosen by luck, so less than predicted is expected. */
  slope: 0.8,
  sd: 0.6,
  most: 1.2,
  folds: 5,
} as const;

/**
 * Predicts the results of each part of the tasks from a fit to the others. Only texts on the same task are compared,
 * and only independent tasks count as independent.
 */
export function crossFit(model: WorthModel): CrossFit {
  const { slope, sd, most } = trustConstants;
  const rows = predictAll(model);
  const squares = rows.reduce((sum, { predicted, count }) => sum + count * predicted ** 2, 0);
  const found = rows.reduce((sum, { predicted, came, count }) => sum + count * predicted * came, 0) / squares;
  const byUnit = new Map<number, number>();
  for (const { unit, predicted, came, count } of rows)
    byUnit.set(unit, (byUnit.get(unit) ?? 0) + count * predicted * (came - found * predicted));
  const spread = [...byUnit.values()].reduce((sum, one) => sum + one ** 2, 0);
  const few = byUnit.size / Math.max(byUnit.size - 1, 1);
  // without predictions or without deviations from them, only the prior counts
  const weight = spread > 0 && byUnit.size > 1 ? squares ** 2 / (spread * few) : 0;
  const precision = weight + 1 / sd ** 2;
  const mean = (weight === 0 ? 0 : weight * found) / precision + slope / sd ** 2 / precision;
  return { slope: Math.min(Math.max(mean, 0), most), holds: chanceBelow(mean * Math.sqrt(precision)) };
}

interface Row {
  readonly unit: number;
  readonly count: number;
  /** Both relative to the mean of the task. */
  readonly predicted: number;
  readonly came: number;
}

function predictAll(model: WorthModel): readonly Row[] {
  const units = [...new Set(model.units)];
  const folds = Math.min(trustConstants.folds, units.length);
  if (folds < 2) return [];
  const foldOf = new Map(units.map((unit, at) => [unit, at % folds]));
  const gathered = gatherFolds(model, folds, foldOf);
  return Array.from({ length: folds }, (_, fold) => {
    const isIn = ({ task }: Cell) => foldOf.get(model.units[task] as number) === fold;
    const cells = new Map([...model.cells].filter(([, cell]) => !isIn(cell)));
    const options = { rounds: 8, learns: false, gathered: gathered?.[fold] };
    const { mean } = fitRules(forgetRules({ ...model, cells }), options).fit;
    const tasks = Map.groupBy([...model.cells.values()].filter(isIn), ({ task }) => task);
    return [...tasks].flatMap(([task, own]) => rowsOf(model.units[task] as number, own, mean));
  }).flat();
}

/** The sums of all blocks outside a fold: everything minus the fold's own. */
function gatherFolds(
  model: WorthModel,
  folds: number,
  foldOf: ReadonlyMap<number, number>,
): readonly BlockSums[] | undefined {
  if (model.isCounted === true) return undefined;
  const size = model.sources.length + 1;
  const own = Map.groupBy(makeBlocks(model), ({ unit }) => foldOf.get(unit));
  const parts = Array.from({ length: folds }, (_, fold) => gatherBlocks(own.get(fold) ?? [], size));
  const without = (fold: number, of: (part: BlockSums) => Float64Array): Float64Array => {
    const sum = new Float64Array(of(parts[fold] as BlockSums).length);
    for (const [at, part] of parts.entries())
      if (at !== fold) of(part).forEach((value, cell) => void (sum[cell] = (sum[cell] as number) + value));
    return sum;
  };
  return parts.map((_, fold) => ({
    precision: without(fold, ({ precision }) => precision),
    shift: without(fold, ({ shift }) => shift),
  }));
}

function rowsOf(unit: number, cells: readonly Cell[], worths: Float64Array): readonly Row[] {
  const rows = cells.map(({ columns, count, sum }) => ({
    unit,
    count,
    predicted: columns.reduce((all, column) => all + (worths[column] as number), 0),
    came: sum / count,
  }));
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  const middle = (pick: (row: Row) => number) =>
    rows.reduce((sum, row) => sum + row.count * pick(row), 0) / all;
  const [predicted, came] = [middle((row) => row.predicted), middle((row) => row.came)];
  return rows.map((row) => ({ ...row, predicted: row.predicted - predicted, came: row.came - came }));
}
