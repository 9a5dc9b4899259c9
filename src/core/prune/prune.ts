import type { Context } from "../context.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import { flipRate } from "../gate/flip-rate.ts";
import { buildLeakIndex } from "../guard/leak-index.ts";
import type { Skill } from "../skill/skill.ts";
import { noteSides } from "../measure/claim-log.ts";
import { contractsOf } from "../stages/optimizer-text.ts";
import { timed } from "../stages/timed.ts";
import { type Trials, rollTrials } from "../measure/trials.ts";
import type { Task } from "../tasks/task.ts";
import { type RuleChange, changeRules, remove } from "./change-rules.ts";
import type { SkillRule } from "./find-rules.ts";
import { type JudgedLoss, type SealedLoss, judgeOnVal, sealLoss } from "./judge-loss.ts";
import { type MeasuredChange, type WholeSkill, measureChange, prunePlace } from "./measure-change.ts";
import { groupRules } from "./group-rules.ts";
import { shortenRule } from "./shorten-rule.ts";

export interface PruneInput {
  readonly skill: Skill;
  readonly rules: readonly SkillRule[];
  readonly val: readonly Task[];
  readonly test: readonly Task[];
  /** The loss of mean score that a proposal may not have. */
  readonly margin: number;
  /** Whether the optimizer may write shorter what cannot go. */
  readonly shorten: boolean;
}

export interface PruneResult {
  readonly original: Skill;
  /** The original where nothing was shown to be dispensable. */
  readonly best: Skill;
  readonly table: readonly RuleEstimate[];
  readonly tokens: { readonly before: number; readonly after: number };
  /** How often two trials of one val task differ; null with a single trial. */
  readonly flipRate: number | null;
  /** All proposed changes together on val; missing where there was nothing to propose. */
  readonly val?: JudgedLoss;
  /** The same on the test split, read once; missing without one, or when val did not show it. */
  readonly sealed?: SealedLoss;
}

/** What one rule is worth, and what becomes of it. */
export interface RuleEstimate {
  readonly rule: string;
  readonly text: string;
  readonly tokens: number;
  readonly fate: "removed" | "shortened" | "kept";
  /** Points of mean score that it brings, with a 95 % interval. Of a group, what all its rules bring. */
  readonly worth: number;
  readonly low: number;
  readonly high: number;
  /** Trials of each val task that the estimate rests on. */
  readonly trials: number;
  /** Null where it brings nothing. */
  readonly tokensPerPoint: number | null;
  /** Rules that were taken out together with it: the estimate is about all of them. */
  readonly together: readonly string[];
  readonly why: string;
  /** Of a shortened rule. */
  readonly shorter?: string;
}

/** Leave-one-out of a skill's rules on val; what is not missed is proposed for removal and judged as a whole. */
export async function pruneSkill(input: PruneInput, context: Context): Promise<PruneResult> {
  const { skill, val } = input;
  const { trials } = context.settings;
  await noteSides({ train: [], val, test: input.test }, context);
  const groups = groupRules(input.rules);
  const total = (groups.length + 1) * val.length * trials;
  const { whole, measured } = await timed(
    "evaluate",
    0,
    total,
    () => measureRules(input, groups, context),
    context,
  );
  const dispensable = measured
    .filter(({ harm }) => harm === null)
    .toSorted((a, b) => b.difference - a.difference);
  const changes = [
    ...dispensable.flatMap((one) => one.changes),
    ...(input.shorten ? await shortenNeeded(measured, whole, input, context) : []),
  ];
  const chosen = await chooseTogether([], changes, whole, context);
  const candidate = changeRules(skill, chosen);
  // a change that nobody misses is as noisy as the whole skill
  const noise = trials > 1 ? noiseOf([whole.arm, ...dispensable]) : null;
  const size = { tasks: val.length, margin: input.margin, flipRate: noise };

  const judged = chosen.length === 0 ? undefined : await judgeOnVal(whole, candidate, size, context);
  const isShown = judged?.shown === true;
  const sealed =
    isShown && input.test.length > 0 && context.settings.evalTest
      ? await sealLoss(skill, candidate, input.test, { margin: input.margin, flipRate: noise }, context)
      : undefined;
  const best = isShown ? candidate : skill;
  return {
    original: skill,
    best,
    table: tabulate(measured, isShown ? chosen : [], changes, chosen),
    tokens: { before: tokensOf(skill), after: tokensOf(best) },
    flipRate: noise,
    val: judged,
    sealed,
  };
}

const noiseOf = (arms: readonly Pick<Trials, "scores">[]): number =>
  flipRate(arms.flatMap(({ scores }) => scores.map((trials) => trials.filter((trial) => trial !== null))))
    .rate;

async function measureRules(
  { skill, val }: PruneInput,
  groups: readonly (readonly SkillRule[])[],
  context: Context,
): Promise<{ readonly whole: WholeSkill; readonly measured: readonly MeasuredChange[] }> {
  const { trials } = context.settings;
  const plan = { split: "val", tasks: val, purpose: "prune", trials, place: prunePlace } as const;
  const whole = { skill, val, trials, arm: await rollTrials(skill, plan, context) };
  return { whole, measured: await screen(groups, whole, context) };
}

/** Groups whose removal does harm are halved until single rules are left. */
async function screen(
  groups: readonly (readonly SkillRule[])[],
  whole: WholeSkill,
  context: Context,
): Promise<readonly MeasuredChange[]> {
  const measured = await Promise.all(
    groups.map(async (group) => {
      const one = await measureChange(group.map(remove), whole, context);
      return one.harm === null || group.length === 1 ? [one] : screen(halve(group), whole, context);
    }),
  );
  return measured.flat();
}

/**
 * Rules that say the same are each dispensable, but not together. So all changes are tried at once, and where that does
 * harm, one half after the other on top of what has passed.
 */
async function chooseTogether(
  passed: readonly RuleChange[],
  more: readonly RuleChange[],
  whole: WholeSkill,
  context: Context,
): Promise<readonly RuleChange[]> {
  if (more.length === 0) return passed;
  const all = [...passed, ...more];
  const { harm } = await measureChange(all, whole, context);
  if (harm === null) return all;
  if (more.length === 1) return passed;
  const [first = [], second = []] = halve(more);
  return chooseTogether(await chooseTogether(passed, first, whole, context), second, whole, context);
}

function halve<T>(items: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

async function shortenNeeded(
  measured: readonly MeasuredChange[],
  whole: WholeSkill,
  { skill, val, test }: PruneInput,
  context: Context,
): Promise<readonly RuleChange[]> {
  const guard = { skill, leaks: buildLeakIndex([...val, ...test]), contracts: contractsOf(val) };
  const needed = measured.filter(({ harm }) => harm !== null).flatMap(({ changes }) => changes);
  const shorter = await Promise.all(
    needed.map(async ({ rule }) => {
      const change = await shortenRule(rule, guard, context);
      if (change === undefined) return [];
      const { harm } = await measureChange([change], whole, context);
      return harm === null ? [change] : [];
    }),
  );
  return shorter.flat();
}

function tabulate(
  measured: readonly MeasuredChange[],
  made: readonly RuleChange[],
  tried: readonly RuleChange[],
  chosen: readonly RuleChange[],
): readonly RuleEstimate[] {
  return measured.flatMap(({ changes, difference, interval, harm, trials }) =>
    changes.map(({ rule }) => {
      const of = (list: readonly RuleChange[]) => list.find((change) => change.rule.id === rule.id);
      const change = of(made);
      const tokens = changes.reduce((sum, one) => sum + one.rule.tokens, 0);
      const worth = 0 - difference;
      return {
        rule: rule.id,
        text: rule.text,
        tokens: rule.tokens,
        fate: change === undefined ? "kept" : change.text === "" ? "removed" : "shortened",
        worth,
        low: 0 - interval.high,
        high: 0 - interval.low,
        trials,
        tokensPerPoint: worth >= leastWorth ? tokens / (100 * worth) : null,
        together: changes.map((one) => one.rule.id).filter((id) => id !== rule.id),
        why: explain(harm, of(tried), of(chosen), change),
        ...(change === undefined || change.text === "" ? {} : { shorter: change.text }),
      } satisfies RuleEstimate;
    }),
  );
}

/** A twentieth of a point: less is nothing. */
const leastWorth = 0.0005;

function explain(
  harm: MeasuredChange["harm"],
  tried: RuleChange | undefined,
  chosen: RuleChange | undefined,
  made: RuleChange | undefined,
): string {
  if (made !== undefined) return made.text === "" ? "not missed" : "not missed when shorter";
  if (chosen !== undefined) return "not missed, but that is not shown";
  if (harm === null && tried !== undefined) return "missed together with others";
  return harm === "on some tasks" ? "some tasks fail without it" : "the score falls without it";
}

const tokensOf = (skill: Skill): number =>
  Object.values(skill.files).reduce((sum, text) => sum + estimateTokens(text), 0);
