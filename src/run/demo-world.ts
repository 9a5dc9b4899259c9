import type { Config } from "../config/schema.ts";
import { singleFileSkill } from "../core/skill/skill.ts";
import type { Splits } from "../core/tasks/task.ts";
import { type HiddenRuleWorld, hiddenRuleWorld } from "../testing/hidden-rule-world.ts";

/** The world of `whetstone demo`, chosen so that the claim of its proof holds for every seed tried. */
export const demoSettings = {
  rules: 8,
  rulesHeld: 2,
  /** The shares of tasks solved with and without the task's rule in the skill. */
  passWith: 0.97,
  passWithout: 0.1,
  /** One reply in ten is random; the others depend only on task and skill. */
  noise: 0.1,
  proposals: { useful: 0.7, useless: 0.2, harmful: 0.1 },
  sizes: { train: 100, val: 100, test: 100 },
  epochs: 3,
  batchSize: 20,
} as const;

export interface Demo {
  readonly world: HiddenRuleWorld;
  readonly skill: string;
  readonly splits: Splits;
  /** The run's config, apart from its journal, for a scripted server that simulates the world. */
  config(url: string): Config;
}

export interface DemoOptions {
  readonly seed: number;
  /** The kinds of proposals from the optimizer, as shares. */
  readonly proposals?: { readonly useful: number; readonly useless: number; readonly harmful: number };
  /** Rules that the skill knows at the start. */
  readonly rulesHeld?: number;
}

export function createDemo({
  seed,
  proposals = demoSettings.proposals,
  rulesHeld = demoSettings.rulesHeld,
}: DemoOptions): Demo {
  const { rules, passWith, passWithout, noise, sizes, epochs, batchSize } = demoSettings;
  const world = hiddenRuleWorld({ seed, rules, passWith, passWithout, noise, ...proposals });
  const skill = world.seedSkill(rulesHeld);
  const splits = world.splits(sizes);
  return {
    world,
    skill,
    splits,
    config: (url) => ({
      skill: singleFileSkill(skill),
      tasks: splits,
      target: "demo/target",
      optimizer: "demo/optimizer",
      providers: { demo: { baseURL: `${url}/v1` } },
      prices: { "demo/target": { input: 0, output: 0 }, "demo/optimizer": { input: 0, output: 0 } },
      epochs,
      batchSize,
      seed,
      concurrency: 64,
      spend: { calls: 5000 },
    }),
  };
}
