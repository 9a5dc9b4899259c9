import { affordsSurplus } from "../../../src/core/loop/turns.ts";
import { keptRules, leanRules, worthKeeping, worthOf } from "../../../src/core/rules/rule-search.ts";
import type { Counts } from "../share-repetitions.ts";
import { usualTexts } from "../../../src/core/rules/few-texts.ts";
import type { RuleCell } from "./rule-cells.ts";
import type { RuleWorld } from "./rule-worlds.ts";
import { searchRules } from "./search-rules.ts";

/** One search of ours and one of strict in the same world. */
export function runRuleCell(cell: RuleCell, seed: number): Counts {
  const world = cell.world(seed);
  const search = searchRules(cell, world, {
    texts: usualTexts(cell.tasks),
    surplus: affordsSurplus({ val: cell.tasks, tasks: cell.tasks, severalChecks: 0 }),
  });
  const { kept } = keptRules(search);
  let held = 0;
  for (const rule of search.rules.keys()) {
    const { low, high } = worthOf(search, rule);
    const without = kept.filter((one) => one !== rule);
    const truth = world.truth([...without, rule]) - world.truth(without);
    // a rule that does nothing at all lies on the edge of many an interval
    held += Number(low - 1e-4 <= truth && truth <= high + 1e-4);
  }
  const rival = cell.world(seed);
  const count = (kind: string) => kept.filter((rule) => world.at(rule).kind === kind).length;
  return {
    ...gainOf("ours", world, kept),
    ...gainOf("full", world, worthKeeping(search)),
    ...gainOf("lean", world, leanRules(search, worthKeeping(search))),
    ...gainOf("strict", rival, strictRules(cell, rival)),
    useful: count("useful"),
    useless: count("useless"),
    harmful: count("harmful"),
    tokens: kept.reduce((sum, rule) => sum + world.at(rule).tokens, 0),
    spent: search.spent,
    stated: search.rules.size,
    held,
  };
}

/** Patches, kept or dropped as a whole: strictly greater mean of one pass, or of several where the budget has them. */
export function strictRules(
  { tasks, steps, rollouts, edits }: Omit<RuleCell, "name" | "family" | "world">,
  world: RuleWorld,
): readonly number[] {
  const passes = Math.max(1, Math.floor(rollouts / tasks / (steps + 1)));
  const measure = (rules: readonly number[]) => {
    let sum = 0;
    for (let roll = 0; roll < passes * tasks; roll += 1) sum += world.roll(rules, roll % tasks);
    return sum;
  };
  let incumbent: readonly number[] = [];
  let score = measure(incumbent);
  for (let step = 0; step < steps; step += 1) {
    const candidate = [...incumbent, ...world.propose(incumbent, edits(step))];
    const found = measure(candidate);
    if (found > score) [incumbent, score] = [candidate, found];
  }
  return incumbent;
}

function gainOf(name: string, world: RuleWorld, kept: readonly number[]): Counts {
  const gain = 100 * (world.truth(kept) - world.truth([]));
  return { [`${name}Gain`]: gain, [`${name}Squares`]: gain ** 2, [`${name}Below`]: Number(gain < -1) };
}
