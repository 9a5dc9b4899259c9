import { type Part, type Seen, type Shares, learnKinds, priorShares, startKinds, tellKind } from "./kinds.ts";
import { leftOver } from "./learn-variances.ts";
import type { Fit, WorthModel } from "./rule-model.ts";
import { type Block, makeBlocks } from "./unit-blocks.ts";

/** The effect of one rule on one task. */
export interface TaskEffect {
  readonly column: number;
  readonly task: number;
  readonly parts: readonly Part[];
}

/** Rounds in which the shares of the kinds settle. */
const rounds = 8;

/**
 * The effect of each rule on each task, by the fit. There, too, a rule does nothing, little or much, and the shares are learned for
 * each rule. One that does much on two tasks of twenty is worth little in the mean, but these two need it.
 */
export function taskEffects(model: WorthModel): readonly TaskEffect[] {
  const alone = { ...model, units: [...model.units.keys()] };
  const seen = makeBlocks(alone).flatMap((block) => seenIn(block, model.fit));
  const [kinds, prior] = [startKinds(), priorShares(model.dark)];
  let shares: ReadonlyMap<string, Shares> = new Map();
  let effects: readonly TaskEffect[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const told = seen.map(({ column, task, ...own }) => {
      const source = String(column);
      return { column, task, source, parts: tellKind(own, kinds, shares.get(source) ?? prior) };
    });
    ({ shares } = learnKinds(told, kinds, prior));
    effects = told;
  }
  return effects;
}

/** The effect of each rule by the results of a task alone, if the other rules do what the fit says. */
function seenIn(block: Block, { mean, middle, tau }: Fit): readonly (Seen & Omit<TaskEffect, "parts">)[] {
  const { unit: task, rows, columns, design } = block;
  const left = leftOver(block, Float64Array.of(...mean, middle));
  return columns.slice(0, -1).map((column, at) => {
    let [moved, size] = [0, 0];
    for (let row = 0; row < rows; row += 1) {
      const value = design[row * columns.length + at] as number;
      moved += value * (left[row] as number);
      size += value ** 2;
    }
    // the block counts the rule's own scatter over tasks as noise, but what it does here is the question
    return { column, task, mean: (mean[column] as number) + moved / size, variance: 1 / size - tau ** 2 };
  });
}
