import { type HiddenRuleWorld, hiddenRuleWorld } from "../../src/testing/index.ts";

/** A world without noise whose every proposal helps: training surely makes the skill better. */
export const learnableWorld = (seed: number): HiddenRuleWorld =>
  hiddenRuleWorld({
    seed,
    rules: 6,
    passWith: 1,
    passWithout: 0,
    noise: 0,
    useful: 1,
    useless: 0,
    harmful: 0,
  });
