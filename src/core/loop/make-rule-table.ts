import { namedGroups } from "../measure/claim-pairs.ts";
import { type SearchRule, ruleFile, wordsOfRule, ruleTokens } from "../rules/search-rule.ts";
import { beliefOf, searchConstants, shownWorth, worthKeeping } from "../rules/rule-search.ts";
import { rulePrices } from "../rules/rule-price.ts";
import type { MeasuredRule, RuleTable } from "../rules/rule-table.ts";
import { swapRules } from "../rules/rule-swaps.ts";
import { unitsOf } from "../tasks/clusters.ts";
import type { Task } from "../tasks/task.ts";
import { ruleReasons } from "../search-words.ts";
import type { SearchKnowledge } from "./measure-rules.ts";

/** The search's findings about each rule. The rules in `held` stay. Swaps are tested if the val tasks are given. */
export function makeRuleTable(
  known: SearchKnowledge,
  held: readonly number[],
  val: readonly Task[] = [],
): RuleTable {
  const { search, results, repeated, edited = [] } = known;
  const rules = known.rules.filter(({ number }) => !edited.includes(number));
  const prices = rulePrices(results);
  const full = worthKeeping(search);
  const swaps = val.length === 0 ? undefined : swapRules(search, results, { held, groups: groupsOf(val) });
  const measured = rules.map((rule): MeasuredRule => {
    const { number } = rule;
    const { mean, sd, low, high, helps } = shownWorth(search, number);
    const withIt = results.filter((one) => one.score !== null && one.rules.includes(number));
    // results from before a rule was proposed say nothing about it
    const since = results.slice(results.findIndex((one) => one.rules.includes(number)));
    const state = held.includes(number) ? "kept" : search.givenUp.includes(number) ? "given-up" : "dropped";
    return {
      ...describe(rule, known),
      points: 100 * mean,
      sd: 100 * sd,
      low: 100 * low,
      high: 100 * high,
      helps,
      ...swaps?.get(number),
      price: prices.get(number),
      ...(rule.levelOf === undefined ? {} : { of: rule.levelOf }),
      state,
      reason: reasonOf(number, state, search, { held, full }),
      rollouts: withIt.length,
      ofRollouts: withIt.length === 0 ? 0 : since.length,
    };
  });
  const unmeasured = { points: 0, low: 0, high: 0, sd: 0, helps: 0 };
  const again = repeated.map(
    ({ rule, of }): MeasuredRule => ({
      ...describe(rule, known),
      ...unmeasured,
      ...(of === undefined ? {} : { of }),
      state: "repeated",
      reason: ruleReasons.repeated(of),
      rollouts: 0,
      ofRollouts: 0,
    }),
  );
  return {
    original: known.baseScore,
    ...(search.claimed === undefined ? {} : { isCredit: true }),
    rules: [...measured, ...again].toSorted((a, b) => a.rule - b.rule),
  };
}

/** The groups that verdicts look at; if none are declared, near-duplicate tasks form groups. */
export function groupsOf(val: readonly Task[]): readonly string[] {
  const { groups } = namedGroups(val);
  if (groups !== undefined) return groups;
  const units = unitsOf(val);
  const clusters = Map.groupBy(val.keys(), (task) => units[task]);
  return units.map((unit) => {
    const [first = 0, ...others] = clusters.get(unit) ?? [];
    return others.length === 0 ? "" : `${val[first]?.id} and ${others.length} like it`;
  });
}

function describe(rule: SearchRule, { base }: SearchKnowledge) {
  const { change, number, step, evidence } = rule;
  return {
    rule: number,
    step,
    file: ruleFile(rule, base),
    op: opOf(rule),
    text: wordsOfRule(rule),
    tokens: ruleTokens(rule, base),
    evidence,
    ...(change.kind === "edit" && change.edit.source !== undefined ? { source: change.edit.source } : {}),
  };
}

function opOf({ change }: SearchRule): MeasuredRule["op"] {
  if (change.kind === "edit") return change.edit.op;
  if (change.region === undefined) return "rewrite";
  return change.region === "slow-update" ? "guidance" : "reminders";
}

function reasonOf(
  rule: number,
  state: MeasuredRule["state"],
  search: SearchKnowledge["search"],
  { held, full }: Readonly<Record<"held" | "full", readonly number[]>>,
): string {
  const { gains, mean } = beliefOf(search, rule);
  if (state === "kept") return ruleReasons.kept;
  if (state === "given-up") return whyGivenUp(search, rule);
  if (held.length === 0 && gains > 0.5) return ruleReasons.inDoubt;
  if (full.includes(rule)) return ruleReasons.leftOpen;
  return mean > 0 ? ruleReasons.notWorthIt : ruleReasons.unlikely;
}

export const whyGivenUp = (search: SearchKnowledge["search"], rule: number): string =>
  beliefOf(search, rule).gains < searchConstants.giveUp ? ruleReasons.noHelp : ruleReasons.crowdedOut;
