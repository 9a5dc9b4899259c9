import type { Context } from "../../context.ts";
import { noteMade, noteSides } from "../../measure/claim-log.ts";
import { skillTokens } from "../../measure/arm-costs.ts";
import type { Skill } from "../../skill/skill.ts";
import type { Task } from "../../tasks/task.ts";
import { type FoundRule, neededFrom } from "../find-needed.ts";
import type { SkillPart } from "./find-rules.ts";
import { removeRules } from "./remove-rules.ts";
import { siftRules } from "./sift-rules.ts";
import { type SealedLoss, type TestedLoss, sealLoss, testLoss } from "./test-loss.ts";

export interface PruneInput {
  readonly skill: Skill;
  readonly rules: readonly SkillPart[];
  readonly val: readonly Task[];
  readonly test: readonly Task[];
  /** The loss of mean score that a proposal must stay below. */
  readonly margin: number;
  /** The skill that the margin is measured from, if earlier prunings were adopted since, and their number. */
  readonly earlier?: EarlierSkill | undefined;
}

/** A skill as it was before the prunings that were adopted since, one after another. */
export interface EarlierSkill {
  readonly skill: Skill;
  readonly prunings: number;
}

export interface PruneResult {
  readonly original: Skill;
  /** The original if nothing was shown to be dispensable. */
  readonly best: Skill;
  readonly table: readonly RuleEstimate[];
  readonly tokens: { readonly before: number; readonly after: number };
  /** How often two rollouts of one val task differ when their texts had everything that it's known to need. */
  readonly flipRate: number;
  /** Prunings that share this margin: those adopted since the skill that it's measured from. */
  readonly prunings: number;
  /** All removals together on val; missing if there was nothing to propose. */
  readonly val?: TestedLoss;
  /** The same on the test split, read once; missing without one, or if val didn't show it. */
  readonly sealed?: SealedLoss;
}

/** The worth of one rule, and its fate. */
export interface RuleEstimate {
  readonly rule: string;
  readonly text: string;
  readonly tokens: number;
  readonly fate: "removed" | "kept";
  /** The share of the mean score that it adds while other rules come and go, with a 95% interval. */
  readonly worth: number;
  readonly low: number;
  readonly high: number;
  /** The chance that it is worth half a point or more. */
  readonly helps: number;
  /** The chance that some task needs it: without it, a third of a score is lost. Rules stay from 0.9 in this or `helps`. */
  readonly needed: number;
  /** The rollouts behind all of these. */
  readonly rollouts: number;
  /** Null if it adds nothing. */
  readonly tokensPerPoint: number | null;
  readonly why: string;
}

/** Finds the rules that no task on val misses. They're removed together, and the removal is tested as a set, in pairs. */
export async function pruneSkill(input: PruneInput, context: Context): Promise<PruneResult> {
  const { skill, rules, val, test, margin, earlier } = input;
  const { texts } = context.settings;
  await noteSides({ train: [], val, test }, context);
  const sifted = await siftRules({ skill, rules, val, texts }, context);
  const gone = rules.filter((_, rule) => !sifted.needed.includes(rule));
  const candidate = removeRules(skill, gone);
  const { flipRate } = sifted;
  const question = { from: earlier?.skill ?? skill, candidate, margin, flipRate };
  const tested = gone.length === 0 ? undefined : await testLoss({ ...question, tasks: val }, context);
  const isShown = tested?.shown === true;
  const sealed =
    isShown && test.length > 0 && context.settings.evalTest
      ? await sealLoss({ ...question, tasks: test, file: [...val, ...test] }, context)
      : undefined;
  const best = isShown ? candidate : skill;
  // the removed rules were chosen on these
  if (isShown) await noteMade(best, { from: skill, tasks: val }, context);
  return {
    original: skill,
    best,
    table: rules.map((rule, at) =>
      estimateRule(rule, sifted.found[at] as FoundRule, !gone.includes(rule), isShown),
    ),
    tokens: { before: skillTokens(skill), after: skillTokens(best) },
    flipRate,
    prunings: earlier?.prunings ?? 0,
    val: tested,
    sealed,
  };
}

function estimateRule(
  rule: SkillPart,
  { worth: { mean, low, high, helps }, needed, rollouts }: FoundRule,
  isMissed: boolean,
  isShown: boolean,
): RuleEstimate {
  return {
    rule: rule.id,
    text: rule.text,
    tokens: rule.tokens,
    fate: isShown && !isMissed ? "removed" : "kept",
    worth: mean,
    low,
    high,
    helps,
    needed,
    rollouts,
    tokensPerPoint: mean >= leastWorth ? rule.tokens / (100 * mean) : null,
    why: explain(isMissed, isShown, needed),
  };
}

/** A twentieth of a point: less counts as nothing. */
const leastWorth = 0.0005;

function explain(isMissed: boolean, isShown: boolean, needed: number): string {
  if (isMissed) return needed >= neededFrom ? "some task needs it" : "it helps";
  return isShown ? "not missed" : "not missed, but that isn't shown";
}
