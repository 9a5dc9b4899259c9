import { lagIn } from "../../../src/core/loop/turns.ts";
import { type Pass, drawConfirmation, drawTexts } from "../../../src/core/rules/draw-texts.ts";
import {
  type SearchState,
  type TextResult,
  addResults,
  endStep,
  likelyRules,
  openRules,
  partsOfStep,
  startRules,
} from "../../../src/core/rules/rule-search.ts";
import { defaultOf } from "../../../src/core/setting.ts";
import { gateSettings } from "../../../src/core/settings.ts";
import type { RuleCell } from "./rule-cells.ts";
import type { RuleWorld } from "./rule-worlds.ts";

export interface SearchOptions {
  readonly texts: number;
  /** As many proposals again as the edit budget. */
  readonly surplus: boolean;
  /** Is given every result, in order. */
  readonly onResults?: (results: readonly TextResult[]) => void;
}

/** The whole search in a world, as the loop drives it: the original once on every task, then step by step. */
export function searchRules(
  cell: Omit<RuleCell, "name" | "family" | "world">,
  world: RuleWorld,
  { texts, surplus, onResults }: SearchOptions,
): SearchState {
  const { tasks, units, steps, rollouts } = cell;
  // proposals answer the incumbent of so many steps before
  const lag = lagIn(steps, { lag: defaultOf(gateSettings.lag) });
  const rollOne = (rules: readonly number[], task: number) => ({
    task,
    rules,
    ...(world.rollChecks?.(rules, task) ?? { score: world.roll(rules, task) }),
  });
  const first = Array.from({ length: tasks }, (_, task) => rollOne([], task));
  const level = first.reduce((sum, { score }) => sum + score, 0) / tasks;
  onResults?.(first);
  let search = addResults(startRules({ tasks, units, level, steps, rollouts, texts }), first);
  const roll = ({ texts: passed, rolls, drawn }: Pass) => {
    const results = rolls.map(({ task, text }) => ({
      ...rollOne(passed[text] as readonly number[], task),
      drawn: drawn?.[text],
    }));
    onResults?.(results);
    search = addResults(search, results);
  };
  const test = (step: number) => {
    for (const count of partsOfStep(search, step)) roll(drawTexts(search, count, world.dice));
  };
  const shown: (readonly number[])[] = [[]];
  for (let step = 0; step < steps; step += 1) {
    const within = cell.edits(step);
    const proposed = world.propose(
      shown[Math.max(step - lag, 0)] as readonly number[],
      surplus ? 2 * within : within,
    );
    search = openRules(
      search,
      proposed.map((rule, at) => ({ rule, tokens: world.at(rule).tokens, isSurplus: at >= within })),
    );
    test(step);
    search = endStep(search);
    shown.push(likelyRules(search));
  }
  test(steps);
  roll(drawConfirmation(search, world.dice));
  return search;
}
