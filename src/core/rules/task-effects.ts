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

/** Rounds in which the shares of the kinds converge. */
const rounds = 8;

/**
 * The effect of each rule on each task, according to the fit. Here too, a rule does nothing, little or much, with
 * shares learned per rule. One that does much on two of twenty tasks is worth little on average, but those two need it.
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

/** The effect of each rule according to one task's results, if the other rules do what the fit says. */
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
    // the block counts the rule's own scatter over tasks as noise, but here its effect on this task is the question
    return { column, task, mean: (mean[column] as number) + moved / size, variance: 1 / size - tau ** 2 };
  });
}
