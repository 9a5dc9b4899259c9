import type { Context } from "../../context.ts";
import { buildLeakIndex } from "../../guard/leak-index.ts";
import { noteMade, noteSides } from "../../measure/claim-log.ts";
import { skillTokens } from "../../measure/arm-costs.ts";
import type { Skill } from "../../skill/skill.ts";
import { contractsOf } from "../../stages/optimizer-text.ts";
import type { Task } from "../../tasks/task.ts";
import { type PartChange, changeRules, remove } from "./change-rules.ts";
import type { FoundRule } from "./find-needed.ts";
import type { SkillPart } from "./find-rules.ts";
import { shortenRule } from "./shorten-rule.ts";
import { neededFrom, siftRules } from "./sift-rules.ts";
import { type SealedLoss, type TestedLoss, sealLoss, testLoss } from "./test-loss.ts";

export interface PruneInput {
  readonly skill: Skill;
  readonly rules: readonly SkillPart[];
  readonly val: readonly Task[];
  readonly test: readonly Task[];
  /** The loss of mean score that a proposal may not have. */
  readonly margin: number;
  /** The skill that the margin counts from, where earlier prunings were adopted since, and how many. */
  readonly earlier?: EarlierSkill | undefined;
  /** Whether the optimizer may write shorter what cannot go. */
  readonly shorten: boolean;
}

/** A skill as it was before the prunings that were adopted one after another since. */
export interface EarlierSkill {
  readonly skill: Skill;
  readonly prunings: number;
}

export interface PruneResult {
  readonly original: Skill;
  /** The original where nothing was shown to be dispensable. */
  readonly best: Skill;
  readonly table: readonly RuleEstimate[];
  readonly tokens: { readonly before: number; readonly after: number };
  /** How often two rollouts of one val task differ whose texts had all that it is known to need. */
  readonly flipRate: number;
  /** Prunings that share this margin: they were adopted since the skill that it counts from. */
  readonly prunings: number;
  /** All proposed changes together on val; missing where there was nothing to propose. */
  readonly val?: TestedLoss;
  /** The same on the test split, read once; missing without one, or when val did not show it. */
  readonly sealed?: SealedLoss;
}

/** What one rule is worth, and what becomes of it. */
export interface RuleEstimate {
  readonly rule: string;
  readonly text: string;
  readonly tokens: number;
  readonly fate: "removed" | "shortened" | "kept";
  /** The share of the mean score that it brings while other rules come and go, with a 95% interval. */
  readonly worth: number;
  readonly low: number;
  readonly high: number;
  /** The chance that it is worth half a point or more. */
  readonly helps: number;
  /** The chance that some task needs it: it loses a third of a score or more without it. A rule stays if one of the two is 0.9 or more. */
  readonly needed: number;
  /** Rollouts behind all of these. */
  readonly rollouts: number;
  /** Null where it brings nothing. */
  readonly tokensPerPoint: number | null;
  readonly why: string;
  /** Of a shortened rule. */
  readonly shorter?: string;
}

/** Finds the rules that no task misses on val; what is left goes together and is tested as a set, in pairs. */
export async function pruneSkill(input: PruneInput, context: Context): Promise<PruneResult> {
  const { skill, rules, val, test, margin, earlier } = input;
  const { texts } = context.settings;
  await noteSides({ train: [], val, test }, context);
  const sifted = await siftRules({ skill, made: [], changes: rules.map(remove), val, texts }, context);
  const removed = rules.filter((_, rule) => !sifted.needed.includes(rule)).map(remove);
  const shortened = input.shorten ? await shortenNeeded(input, removed, sifted.needed, context) : [];
  const changes = [...removed, ...shortened];
  const candidate = changeRules(skill, changes);
  const { flipRate } = sifted;
  const question = { from: earlier?.skill ?? skill, candidate, margin, flipRate };
  const tested = changes.length === 0 ? undefined : await testLoss({ ...question, tasks: val }, context);
  const isShown = tested?.shown === true;
  const sealed =
    isShown && test.length > 0 && context.settings.evalTest
      ? await sealLoss({ ...question, tasks: test, file: [...val, ...test] }, context)
      : undefined;
  const best = isShown ? candidate : skill;
  // what goes was chosen on these
  if (isShown) await noteMade(best, { from: skill, tasks: val }, context);
  return {
    original: skill,
    best,
    table: rules.map((rule, at) => estimateRule(rule, sifted.found[at] as FoundRule, changes, isShown)),
    tokens: { before: skillTokens(skill), after: skillTokens(best) },
    flipRate,
    prunings: earlier?.prunings ?? 0,
    val: tested,
    sealed,
  };
}

/** Shorter texts of the needed rules are sifted like the rules before: what is not missed in a longer one goes. */
async function shortenNeeded(
  { skill, rules, val, test }: PruneInput,
  made: readonly PartChange[],
  needed: readonly number[],
  context: Context,
): Promise<readonly PartChange[]> {
  const { texts } = context.settings;
  const guard = { skill, leaks: buildLeakIndex([...val, ...test]), contracts: contractsOf(val) };
  const kept = rules.filter((_, rule) => needed.includes(rule));
  const shorter = await Promise.all(kept.map((rule) => shortenRule(rule, guard, context)));
  const changes = shorter.filter((change) => change !== undefined);
  if (changes.length === 0) return [];
  const missed = (await siftRules({ skill, made, changes, val, texts }, context)).needed;
  return changes.filter((_, change) => !missed.includes(change));
}

function estimateRule(
  rule: SkillPart,
  { worth: { mean, low, high, helps }, needed, rollouts }: FoundRule,
  changes: readonly PartChange[],
  isShown: boolean,
): RuleEstimate {
  const change = changes.find((one) => one.part.id === rule.id);
  const made = isShown ? change : undefined;
  return {
    rule: rule.id,
    text: rule.text,
    tokens: rule.tokens,
    fate: made === undefined ? "kept" : made.text === "" ? "removed" : "shortened",
    worth: mean,
    low,
    high,
    helps,
    needed,
    rollouts,
    tokensPerPoint: mean >= leastWorth ? rule.tokens / (100 * mean) : null,
    why: explain(change, made, needed),
    ...(made === undefined || made.text === "" ? {} : { shorter: made.text }),
  };
}

/** A twentieth of a point: less is nothing. */
const leastWorth = 0.0005;

function explain(change: PartChange | undefined, made: PartChange | undefined, needed: number): string {
  if (change === undefined) return needed >= neededFrom ? "some task needs it" : "it helps";
  const missed = change.text === "" ? "not missed" : "not missed when shorter";
  return made === undefined ? `${missed}, but that is not shown` : missed;
}
