import { affordsSurplus } from "../../../src/core/loop/turns.ts";
import { usualTexts } from "../../../src/core/rules/few-texts.ts";
import { keptRules } from "../../../src/core/rules/rule-search.ts";
import type { Counts } from "../share-repetitions.ts";
import { type ConjunctionOptions, conjunctionWorld } from "./conjunction-worlds.ts";
import { fromFourToTwo } from "./rule-cells.ts";
import { strictRules } from "./run-rule-cell.ts";
import { searchRules } from "./search-rules.ts";

/** Tasks that pass only if several checks hold. */
export interface ConjunctionCell {
  readonly name: string;
  readonly steps: number;
  readonly options: ConjunctionOptions;
}

const sizes = [4, 8, 15, 30, 100];
const habits = [
  [1, 4],
  [2, 4],
  [3, 4],
  [5, 5],
] as const;

const low = (checks: number, all: number, tasks: number, steps: number, good = 0.6): ConjunctionCell => ({
  name: `${checks} of ${all} habits n=${tasks} s=${steps} q=${good}`,
  steps,
  options: { checks, habits: all, tasks, good, before: [0, 0.3] },
});

const lowCells: readonly ConjunctionCell[] = [
  ...habits.flatMap(([checks, all]) =>
    sizes.flatMap((tasks) => [2, 4, 8, 15].map((steps) => low(checks, all, tasks, steps))),
  ),
  ...[0.3, 0.9].flatMap((good) => [low(3, 4, 4, 4, good), low(3, 4, 15, 8, good), low(3, 4, 30, 8, good)]),
  low(3, 8, 15, 8),
  low(3, 8, 30, 15),
  low(5, 10, 30, 15),
];

/** The original passes much. */
const highCells: readonly ConjunctionCell[] = habits.slice(1).flatMap(([checks, all]) =>
  [4, 15, 30].flatMap((tasks) =>
    [4, 8].map((steps) => {
      const { name, options } = low(checks, all, tasks, steps);
      return { name: `high ${name}`, steps, options: { ...options, before: [0.5, 0.9] as const } };
    }),
  ),
);

export const conjunctionCells = [...lowCells, ...highCells];

/** One search of ours, and one of strict in the same world. */
export function runConjunction({ steps, options }: ConjunctionCell, seed: number, misleads: boolean): Counts {
  const { tasks } = options;
  const cell = { tasks, steps, rollouts: (steps + 1) * tasks, edits: fromFourToTwo(steps) };
  const [world, rival] = [1, 2].map(() => conjunctionWorld({ ...options, misleads }, seed));
  if (world === undefined || rival === undefined) throw new Error("There are two worlds.");
  const search = searchRules(cell, world, {
    texts: usualTexts(tasks),
    surplus: affordsSurplus({ val: tasks, tasks, severalChecks: options.checks > 1 ? tasks : 0 }),
  });
  const { kept } = keptRules(search);
  const gainIn = (one: typeof world, rules: readonly number[]) => 100 * (one.truth(rules) - one.truth([]));
  const [ours, strict] = [gainIn(world, kept), gainIn(rival, strictRules(cell, rival))];
  const isKnown = world.goodProposed() >= 2;
  return {
    ours,
    strict,
    squares: (ours - strict) ** 2,
    below: Number(ours < -1),
    known: Number(isKnown),
    nothing: Number(isKnown && kept.length === 0),
  };
}
