import { type Pass, drawConfirmation, drawTexts } from "../../../src/core/rules/draw-texts.ts";
import {
  type SearchState,
  addResults,
  endStep,
  likelyRules,
  openRules,
  partsOfStep,
  startRules,
} from "../../../src/core/rules/rule-search.ts";
import type { RuleCell } from "./rule-cells.ts";
import type { RuleWorld } from "./rule-worlds.ts";

export interface SearchOptions {
  readonly texts: number;
  /** Proposals answer the incumbent of so many steps before. */
  readonly lag: number;
}

/** The whole search in a world, as the loop drives it: the original once on every task, then step by step. */
export function searchRules(cell: RuleCell, world: RuleWorld, { texts, lag }: SearchOptions): SearchState {
  const { tasks, units = tasks, steps, rollouts } = cell;
  let search = startRules({ tasks, units, steps, rollouts, texts });
  const roll = (pass: Pass) => {
    const results = pass.rolls.map(({ task, text }) => {
      const rules = pass.texts[text] as readonly number[];
      return { task, rules, score: world.roll(rules, task) };
    });
    search = addResults(search, results);
  };
  roll({ texts: [[]], rolls: Array.from({ length: tasks }, (_, task) => ({ task, text: 0 })) });
  const test = (step: number) => {
    for (const count of partsOfStep(search, step)) roll(drawTexts(search, count, world.dice));
  };
  const shown: (readonly number[])[] = [[]];
  for (let step = 0; step < steps; step += 1) {
    const proposed = world.propose(shown[Math.max(step - lag, 0)] as readonly number[], cell.edits(step));
    search = openRules(
      search,
      proposed.map((rule) => ({ rule, tokens: world.at(rule).tokens })),
    );
    test(step);
    search = endStep(search);
    shown.push(likelyRules(search));
  }
  test(steps);
  roll(drawConfirmation(search, world.dice));
  return search;
}
