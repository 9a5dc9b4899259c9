// node worth-worker.ts <worker> <workers> <seed> <repetitions> <every nth cell>: one line of counts for each cell.
import { usualTexts } from "../../../src/core/rules/few-texts.ts";
import { keptRules, leanRules, worthKeeping, worthOf } from "../../../src/core/rules/rule-search.ts";
import { type Counts, doPart } from "../share-repetitions.ts";
import { searchRules } from "./search-rules.ts";
import { type TopicCell, topicCells } from "./topic-worlds.ts";

const [every = "1"] = process.argv.slice(6);
await doPart(
  topicCells.filter((_, at) => at % Number(every) === 0),
  async (cell, repetition, seed) => runTopicCell(cell, seed + repetition),
);

/** What one search states, and what is true. */
function runTopicCell(cell: TopicCell, seed: number): Counts {
  const world = cell.world(seed);
  const search = searchRules(cell, world, { texts: usualTexts(cell.tasks), surplus: cell.surplus });
  const { kept, promise } = keptRules(search);
  const full = worthKeeping(search);
  const lean = leanRules(search, full);
  const gain = (text: readonly number[]) => 100 * (world.truth(text) - world.truth([]));
  const counts: Record<string, number> = {
    offers: Number(kept.length > 0),
    gain: gain(kept),
    full: gain(full),
    lean: gain(lean),
    below: Number(gain(kept) < -1),
    error: 100 * promise - gain(kept),
    errorSquares: (100 * promise - gain(kept)) ** 2,
  };
  const add = (name: string, value: number) => {
    counts[name] = (counts[name] ?? 0) + value;
  };
  const residuals = Array.from({ length: 10 }, () => 0);
  for (const rule of search.rules.keys()) {
    const { helps, low, high } = worthOf(search, rule);
    const without = kept.filter((one) => one !== rule);
    const truth = world.truth([...without, rule]) - world.truth(without);
    const tenth = Math.min(Math.floor(10 * helps), 9);
    const isHelp = truth >= 0.005;
    add("rules", 1);
    // a rule that does nothing at all lies on the edge of many an interval
    add("covered", Number(low - 1e-4 <= truth && truth <= high + 1e-4));
    add(`stated ${tenth}`, helps);
    add(`helped ${tenth}`, Number(isHelp));
    add(`rules ${tenth}`, 1);
    residuals[tenth] = (residuals[tenth] as number) + helps - Number(isHelp);
    // one that says the same as another helps alone, though not beside it
    if (helps >= 0.95) add(isHelp || gain([rule]) >= 0.5 ? "shown" : "shownIdle", 1);
    if (truth >= 0.05) add(helps >= 0.95 ? "largeShown" : "largeOpen", 1);
  }
  residuals.forEach((residual, tenth) => add(`squares ${tenth}`, residual ** 2));
  return counts;
}
