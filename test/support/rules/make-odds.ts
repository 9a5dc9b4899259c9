// node test/support/rules/make-odds.ts: simulates searches and writes src/core/rules/search-odds.json. It takes some minutes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { affordsSurplus } from "../../../src/core/loop/turns.ts";
import { mean } from "../../../src/core/mean.ts";
import { usualTexts } from "../../../src/core/rules/few-texts.ts";
import { keptRules, valRollouts } from "../../../src/core/rules/rule-search.ts";
import { fromFourToTwo } from "./rule-cells.ts";
import { type DiffuseOptions, type RuleWorld, diffuseWorld } from "./rule-worlds.ts";
import { searchRules } from "./search-rules.ts";

const sizes = [10, 20, 50, 100];
const steps = [4, 10, 20];
/** A short search is cheap and noisy. */
const seedsFor: Readonly<Record<number, number>> = { 4: 24, 10: 12, 20: 6 };

/** The kinds of worlds of the 35 cells that any size, number of steps and base score can be given to. */
const diffuse: readonly Omit<DiffuseOptions, "n">[] = [
  { mix: "mild" },
  { mix: "hostile" },
  { mix: "worthless" },
  { mix: "mild", scale: 0.5 },
  { mix: "hostile", scale: 0.5 },
  { mix: "mild", clash: 0.05 },
  { mix: "mild", repeat: 0.4 },
];
type MakeWorld = (seed: number, rollouts: number) => RuleWorld;

/** The gain of each search in points, and the original's score. */
function simulate(
  worlds: readonly MakeWorld[],
  seeds: number,
  cell: Readonly<Record<"val" | "steps", number>>,
) {
  const { val, steps: count } = cell;
  const rollouts = valRollouts(count, { tasks: val });
  const surplus = affordsSurplus({ val, tasks: val, severalChecks: 0 });
  const options = { texts: usualTexts(val), lag: count < 6 ? 0 : 1, surplus };
  return worlds.flatMap((make) =>
    Array.from({ length: seeds }, (_, at) => {
      const world = make(at + 1, rollouts);
      const search = searchRules(
        { tasks: val, steps: count, rollouts, edits: fromFourToTwo(count) },
        world,
        options,
      );
      const { kept } = keptRules(search);
      const base = world.truth([]);
      return { base, gain: 100 * (world.truth(kept) - base), isOriginal: kept.length === 0 };
    }),
  );
}

const rounded = (value: number, digits = 1) => Number(value.toFixed(digits));
const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.round(share * (values.length - 1))] ?? 0;

function row(worlds: readonly MakeWorld[], val: number, count: number) {
  const found = simulate(worlds, seedsFor[count] ?? 6, { val, steps: count });
  const gains = found.map(({ gain }) => gain);
  const made = {
    val,
    steps: count,
    base: rounded(mean(found.map(({ base }) => base)), 2),
    gain: rounded(mean(gains)),
    low: rounded(quantile(gains, 0.1)),
    high: rounded(quantile(gains, 0.9)),
    keepsOriginal: rounded(mean(found.map(({ isOriginal }) => Number(isOriginal))), 2),
  };
  console.log(JSON.stringify(made));
  return made;
}

const grid = sizes.flatMap((val) => steps.map((count) => [val, count] as const));
const rows = [0.4, 0.8].flatMap((base) =>
  grid.map(([val, count]) => {
    const worlds = diffuse.map(
      (kind): MakeWorld =>
        (seed, rollouts) =>
          diffuseWorld({ ...kind, n: val, base }, seed, rollouts),
    );
    return row(worlds, val, count);
  }),
);
const made =
  "by test/support/rules/make-odds.ts: seeds from 1 on (24, 12 and 6 of them for 4, 10 and 20 steps) in each of seven kinds of worlds";
const path = join(import.meta.dirname, "../../../src/core/rules/search-odds.json");
writeFileSync(path, `${JSON.stringify({ made, rows }, null, 2)}\n`);
