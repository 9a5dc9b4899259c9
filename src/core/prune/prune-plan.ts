import { type Range, range } from "../rehearse/range.ts";
import type { SkillRule } from "./find-rules.ts";
import { mostTrials } from "./judge-loss.ts";
import { rerunTrials } from "./measure-change.ts";

/** With more rules than this, neighbours are first taken out together. */
const mostGroups = 16;

/** Rules that are taken out together at first: one by one as long as they are few. */
export function groupRules(rules: readonly SkillRule[]): readonly (readonly SkillRule[])[] {
  const size = Math.ceil(rules.length / mostGroups);
  return Array.from({ length: Math.ceil(rules.length / Math.max(size, 1)) }, (_, at) =>
    rules.slice(at * size, (at + 1) * size),
  );
}

export interface PruneSize {
  readonly rules: readonly SkillRule[];
  readonly val: number;
  readonly test: number;
  readonly trials: number;
  readonly shorten: boolean;
}

/**
 * Rollouts that a pruning takes. At the low end every rule is needed, which the first trial shows; at the high end all
 * groups must be halved to the last rule, suspects are drawn again, and the judgement takes as many trials as it may.
 */
export function countRollouts({ rules, val, test, trials, shorten }: PruneSize): Range {
  const groups = groupRules(rules).length;
  const removals = groups === rules.length ? groups : 2 * rules.length - groups;
  // all together once, and once more in halves
  const measured = removals + (rules.length > 1 ? 3 : 0) + (shorten ? rules.length : 0);
  const again = rerunTrials(trials);
  const suspects = 0.2 * val;
  return range(
    val * trials + groups * val,
    Math.ceil(
      val * (trials + again) + measured * (val * trials + suspects * again) + 2 * mostTrials * (val + test),
    ),
  );
}
