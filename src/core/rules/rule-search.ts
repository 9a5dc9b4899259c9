import { chanceBelow } from "../gate/claim/normal.ts";
import { z95 } from "../shown-level.ts";
import type { Used } from "../used.ts";
import { crossFit, trustConstants } from "./cross-fit.ts";
import { type FoundRule, findNeeded, surelyNeeded } from "./find-needed.ts";
import { fitRules, startModel } from "./fit-rules.ts";
import { type Worth, worthOfParts } from "./kinds.ts";
import { helpShownFrom } from "./rule-table.ts";
import {
  type Belief,
  type WorthModel,
  addColumns,
  addScores,
  beliefAbout,
  clamp,
  settleColumns,
} from "./rule-model.ts";

interface RuleSearchPlan {
  readonly tasks: number;
  /** For each task, the independent unit (a group, or the task itself) that it belongs to. @default each its own */
  readonly units?: readonly number[];
  readonly weights?: readonly number[];
  /** The original's score. */
  readonly level?: number;
  readonly steps: number;
  /** The total number of val rollouts that the search may spend. */
  readonly rollouts: number;
  /** The rules are tried on the same tasks that they were made from, so the result is only about those. @default false */
  readonly isShared?: boolean;
  /** Distinct texts of a part of a step; 0: each rollout has its own. */
  readonly texts: number;
}

/** A rule as the search sees it: its number, which increases from rule to rule, its cost and the rules it excludes. */
export interface NewEdit {
  readonly rule: number;
  readonly tokens: number;
  /** Its origin: the search learns together what rules from one source are worth. */
  readonly source?: string;
  /** Beyond the edit budget: a source of its own, which takes no places from rules within it. */
  readonly isSurplus?: boolean;
  /** Earlier rules that are never in one text with this one. */
  readonly excludes?: readonly number[];
}

/**
 * A search for the rules that help. It's a fold: every function returns a new search, and the same calls with the same
 * results return the same search. Rules are identified by their numbers.
 */
export interface SearchState {
  readonly plan: RuleSearchPlan;
  readonly model: WorthModel;
  /** The same model for the claimed score, if partial credit steers the search. */
  readonly claimed?: WorthModel | undefined;
  /** All rules so far, by number. */
  readonly rules: ReadonlyMap<number, NewEdit>;
  /** The rules in the model, by column. */
  readonly columns: readonly number[];
  /** Under test: each rollout has some of them. */
  readonly open: readonly number[];
  readonly givenUp: readonly number[];
  /** The last belief about rules that left the model. */
  readonly settled: ReadonlyMap<number, Worth & Belief>;
  /** Rollouts of this plan so far, including missing ones; and by task, over all plans. */
  readonly spent: number;
  readonly rolled: readonly number[];
}

/** A randomly drawn text. In its part of the search, a rule's texts were chosen at random among all. */
export interface DrawnText {
  readonly part: number;
  /** As they were drawn. */
  readonly rules: readonly number[];
}

/** One result of a val rollout, with the rules that were really in the text. */
export interface TextResult {
  readonly task: number;
  readonly rules: readonly number[];
  /** The same object for all results of a text; missing if nothing was left to chance. */
  readonly drawn?: DrawnText | undefined;
  /** The claimed score, in [0, 1]; null: missing. */
  readonly score: number | null;
  /** Partial credit, if a task has several checks: it shows what pass/fail hides, so it steers the search. */
  readonly credit?: number | undefined;
  /** The usage of the rollout, if it was counted. */
  readonly used?: Pick<Used, "tokens" | "turns"> | undefined;
}

export const searchConstants = {
  /** The most rules under test at once, within the edit budget and beyond it. */
  open: 24,
  surplus: 12,
  /** The most rules in the model if many were given up. */
  columns: 100,
  /** Given up below this chance of any gain. */
  giveUp: 0.05,
  /** The optimizer sees the text with all rules whose chance to be worth their tokens is above this. */
  show: 0.45,
  /** The gain that a rule of `usualTokens` must promise, as a share of the room for gain: every call pays for its tokens. */
  price: 0.012,
  usualTokens: 35,
  /** The chance that the kept rules gain; below it the original is returned. One that passes nothing has nothing to lose. */
  doubt: 0.7,
  /** The same if partial credit steers the search: each result is more informative. */
  doubtWithCredit: 0.5,
  doubtInTheDark: 0.3,
  /** If partial credit steers the search, a rule that is less likely than this to raise the claimed score isn't kept. */
  veto: 0.3,
  /** From this chance on, a task counts as needing a rule. */
  needed: 0.8,
  /** The lean text is offered if it's expected to keep this share of the gain. */
  leanShare: 0.9,
  /** Share of the rollouts reserved for after the last proposal, which otherwise would be judged by a single pass. */
  ending: 0.12,
  /** Share for the kept rules against the original, task by task. */
  confirmation: 0.1,
} as const;

/** For a search on few tasks, where a rule that two of them need adds little on average. */
export const fewConstants = {
  /** Fewer val tasks than this count as few. */
  tasks: 20,
  /** The minimum number of val rollouts: only many of each task can tell rules apart. */
  rollouts: 170,
  /** If no other tasks judge the text, rules need this chance to help, or a task that needs them: one in five may be idle. */
  leastHelps: 0.6,
} as const;

export const hasFewTasks = ({
  tasks,
  isShared = false,
}: Pick<RuleSearchPlan, "tasks" | "isShared">): boolean => isShared || tasks < fewConstants.tasks;

/** The number of val rollouts for this many proposals, including the original's pass. */
export function valRollouts(proposals: number, size: Pick<RuleSearchPlan, "tasks" | "isShared">): number {
  // half a pass less than strict: more runs continue to a sealed test, which costs something too
  const usual = Math.floor((proposals + 0.5) * size.tasks);
  return hasFewTasks(size) ? Math.max(usual, fewConstants.rollouts) : usual;
}

export function startRules(plan: RuleSearchPlan): SearchState {
  return {
    plan,
    model: startModel(plan),
    rules: new Map(),
    columns: [],
    open: [],
    givenUp: [],
    settled: new Map(),
    spent: 0,
    rolled: Array.from({ length: plan.tasks }, () => 0),
  };
}

/** Adds new rules to those under test. Beyond the limits, the least promising are given up. */
export function openRules(search: SearchState, rules: readonly NewEdit[]): SearchState {
  const sources = rules.map(({ source = "", isSurplus = false }) => (isSurplus ? "surplus" : source));
  const known = {
    ...search,
    model: addColumns(search.model, sources),
    claimed: search.claimed && addColumns(search.claimed, sources),
    rules: new Map([...search.rules, ...rules.map((one) => [one.rule, one] as const)]),
    columns: [...search.columns, ...rules.map(({ rule }) => rule)],
    open: [...search.open, ...rules.map(({ rule }) => rule)],
  };
  // among equals, newer rules are given up first
  const byPromise = known.open.toSorted(
    (a, b) => beliefOf(known, b).gains - beliefOf(known, a).gains || a - b,
  );
  const { open, surplus } = searchConstants;
  const isBeyond = (rule: number) => known.rules.get(rule)?.isSurplus === true;
  const beyond = byPromise.filter(isBeyond).slice(surplus);
  const within = byPromise.filter((rule) => !isBeyond(rule)).slice(open);
  return giveUp(known, new Set([...within, ...beyond]));
}

/** The same search with new steps and rollouts to spend, without the rules that leave. */
export const extendSearch = (
  search: SearchState,
  more: Pick<RuleSearchPlan, "steps" | "rollouts">,
  leaving: ReadonlySet<number>,
): SearchState => ({ ...giveUp(search, leaving), plan: { ...search.plan, ...more }, spent: 0 });

/** Val rollouts of a step's two parts; the second part uses what the first showed. Step `plan.steps` is the ending. */
export function partsOfStep({ plan, spent }: SearchState, step: number): readonly [number, number] {
  const { ending, confirmation } = searchConstants;
  const forSteps = Math.floor(plan.rollouts * (1 - ending - confirmation));
  const rollouts =
    step < plan.steps
      ? Math.floor((forSteps - spent) / (plan.steps - step))
      : // what steps without proposals have left, too
        plan.rollouts - Math.floor(plan.rollouts * confirmation) - spent;
  const all = Math.max(0, Math.min(rollouts, plan.rollouts - spent));
  return [Math.floor(all / 2), Math.ceil(all / 2)];
}

/** Adds the results of a part, in canonical order, and fits the model to all results so far; by counts if that's enough. */
export function addResults(
  search: SearchState,
  results: readonly TextResult[],
  isCounted = false,
): SearchState {
  const fitTo = (model: WorthModel, pick: (result: TextResult) => number | null) => {
    const scored = results.flatMap((result) => {
      const score = pick(result);
      const columns = columnsIn(search, result.rules).toSorted((a, b) => a - b);
      // counts are by text, and by the fold of the tasks that a cross-fit leaves out
      const task = isCounted ? result.task % trustConstants.folds : result.task;
      return score === null ? [] : [{ task, columns, score }];
    });
    return fitRules({ ...addScores(model, scored), isCounted });
  };
  const claimed =
    search.claimed ??
    (results.some(({ credit }) => credit !== undefined) ? startModel(search.plan) : undefined);
  const rolled = [...search.rolled];
  for (const { task } of results) rolled[task] = (rolled[task] ?? 0) + 1;
  return {
    ...search,
    model: fitTo(search.model, ({ score, credit = score }) => credit),
    claimed: claimed && fitTo(claimed, ({ score }) => score),
    spent: search.spent + results.length,
    rolled,
  };
}

/** Ends a step: gives up rules that almost certainly gain nothing. */
export const endStep = (search: SearchState): SearchState =>
  giveUp(
    search,
    new Set(search.open.filter((rule) => beliefOf(search, rule).gains < searchConstants.giveUp)),
  );

/** The rules of the incumbent that the optimizer sees. */
export function likelyRules(search: SearchState): readonly number[] {
  return best(search, (rule) => chanceOfWorth(search, rule) > searchConstants.show);
}

/** All rules under test except these; of exclusive ones, the more promising. */
export const wholeRules = (search: SearchState, leaves: (rule: number) => boolean): readonly number[] =>
  best(search, (rule) => !leaves(rule));

/** A possible result of a search. */
export interface KeptText {
  readonly kept: readonly number[];
  /** Their gain over the original, estimated by tasks that didn't choose them, as a share of the claimed score. */
  readonly promise: number;
}

/** The end of a search: the offered text, lean or full. No rules if in doubt, which means the original. */
export interface KeptRules extends KeptText {
  /** The one of the two that isn't offered; missing if they're the same. */
  readonly other?: KeptText & { readonly name: "lean" | "full" };
}

/** A text's gain over the original, estimated by tasks that didn't choose it, with the interval that is shown. */
export function promisedGain(
  search: SearchState,
  rules: readonly number[],
): Readonly<Record<"gain" | "low" | "high", number>> {
  const { model, claimed } = search;
  // nobody looks at a rehearsed step's score
  const slope = rules.length === 0 || model.isCounted === true ? 1 : crossFit(model).slope;
  const { mean, sd } = beliefAbout(claimed ?? model, columnsIn(search, rules));
  const reach = slope * sd * z95;
  return { gain: slope * mean, low: slope * mean - reach, high: slope * mean + reach };
}

export function keptRules(search: SearchState, shown?: ReadonlySet<number>): KeptRules {
  const full = worthKeeping(search);
  const none = { kept: [], promise: 0 };
  if (full.length === 0) return none;
  const { model, claimed } = search;
  const { doubtInTheDark, veto } = searchConstants;
  const doubt = claimed === undefined ? searchConstants.doubt : searchConstants.doubtWithCredit;
  const columns = columnsIn(search, full);
  if (claimed !== undefined && beliefAbout(claimed, columns).gains < veto) return none;
  const { gains } = beliefAbout(model, columns);
  const { slope, holds } = crossFit(model);
  if (gains * holds < doubt + model.dark * (doubtInTheDark - doubt)) return none;
  const textOf = (rules: readonly number[]): KeptText => ({
    kept: rules,
    promise: slope * gainOf(search, rules),
  });
  const lean = leanRules(search, full, shown);
  if (lean.length === 0 || lean.length === full.length) return textOf(full);
  // the lean text if it's expected to lose little, which few tasks can't tell
  return search.plan.isShared !== true &&
    gainOf(search, lean) >= searchConstants.leanShare * gainOf(search, full)
    ? { ...textOf(lean), other: { name: "full", ...textOf(full) } }
    : { ...textOf(full), other: { name: "lean", ...textOf(lean) } };
}

/**
 * The fewest rules expected to keep most of the gain. Includes all whose help is shown: by themselves, on a group of tasks
 * (`shown`), or because a task needs them. If a task only passes with several rules, worths don't add up: only those stay.
 */
export function leanRules(
  search: SearchState,
  rules: readonly number[],
  shown: ReadonlySet<number> = new Set(),
): readonly number[] {
  const isShown = (rule: number) =>
    shown.has(rule) ||
    worthOf(search, rule).helps >= helpShownFrom ||
    (foundIn(search, rule)?.needed ?? 0) >= searchConstants.needed;
  const lean = rules.filter(isShown);
  if (search.claimed !== undefined) return lean;
  const enough = searchConstants.leanShare * gainOf(search, rules);
  const others = rules
    .filter((rule) => !isShown(rule))
    .toSorted((a, b) => gainOf(search, [b]) - gainOf(search, [a]) || a - b);
  while (gainOf(search, lean) < enough && others.length > 0) lean.push(...others.splice(0, 1));
  return inOrder(lean);
}

/** The rules expected to be worth their tokens. On few tasks: those that probably help, and those that some task needs. */
export function worthKeeping(search: SearchState): readonly number[] {
  const isWorth = (rule: number) =>
    (search.model.fit.mean[columnOf(search, rule)] ?? 0) > priceOf(search, rule) &&
    claimOf(search, rule) > searchConstants.veto;
  const { plan } = search;
  const isSure = ({ worth }: FoundRule) => plan.isShared !== true || worth.helps >= fewConstants.leastHelps;
  return best(search, (rule) => {
    const found = hasFewTasks(plan) ? foundIn(search, rule) : undefined;
    return found === undefined
      ? isWorth(rule)
      : (isWorth(rule) && isSure(found)) || found.needed >= searchConstants.needed;
  });
}

/** A rule's worth for people. On few tasks: its worth in texts with everything else that the task is known to need. */
export const shownWorth = (search: SearchState, rule: number): Worth =>
  (search.plan.isShared === true ? foundIn(search, rule)?.worth : undefined) ?? worthOf(search, rule);

/** Undefined for a rule that isn't fitted yet or has left, and in a rehearsal, whose results are simulated. */
function foundIn({ model, columns }: SearchState, rule: number): FoundRule | undefined {
  if (model.isCounted === true) return undefined;
  const found = looked.get(model) ?? findNeeded(model, surelyNeeded).found;
  looked.set(model, found);
  return found[columns.indexOf(rule)];
}

// one fit is queried many times
const looked = new WeakMap<WorthModel, readonly FoundRule[]>();

/** The chance that a rule raises the claimed score, if something else steers the search. */
const claimOf = (search: SearchState, rule: number): number =>
  search.claimed === undefined ? 1 : beliefAbout(search.claimed, [columnOf(search, rule)]).gains;

/** One part is for existing at all, the rest for its tokens. */
function priceOf({ model, rules }: SearchState, rule: number): number {
  const { price, usualTokens } = searchConstants;
  const { tokens = usualTokens } = rules.get(rule) ?? {};
  const room = clamp(1 - model.fit.middle, 0.02, 1);
  return price * room * (0.7 + (0.3 * tokens) / usualTokens);
}

/** A rule's worth according to all results so far. */
export function worthOf(search: SearchState, rule: number): Worth {
  const last = search.settled.get(rule);
  if (last !== undefined) return last;
  const parts = search.model.fit.parts[columnOf(search, rule)];
  return parts === undefined ? { mean: 0, sd: 0, low: 0, high: 0, helps: 0 } : worthOfParts(parts);
}

/** The expected gain of a text over the original, as a share of the claimed score. */
export const gainOf = (search: SearchState, text: readonly number[]): number =>
  beliefAbout(search.claimed ?? search.model, columnsIn(search, text)).mean;

/** The belief about a rule. One that's unlikely to raise the claimed score doesn't look promising by its partial credit. */
export function beliefOf(search: SearchState, rule: number): Belief {
  const last = search.settled.get(rule);
  if (last !== undefined) return last;
  const belief = beliefAbout(search.model, [columnOf(search, rule)]);
  return { ...belief, gains: Math.min(belief.gains, claimOf(search, rule) / (2 * searchConstants.veto)) };
}

/** The chance that a rule is worth its tokens. */
function chanceOfWorth(search: SearchState, rule: number): number {
  const { mean, sd, gains } = beliefOf(search, rule);
  return sd === 0 ? 0 : Math.min(gains, chanceBelow((mean - priceOf(search, rule)) / sd));
}

export function areExclusive(search: SearchState, a: number, b: number): boolean {
  const excludes = (one: number, other: number) => search.rules.get(one)?.excludes?.includes(other) === true;
  return excludes(a, b) || excludes(b, a);
}

/** The open rules that qualify; of exclusive ones, the more promising. */
function best(search: SearchState, qualifies: (rule: number) => boolean): readonly number[] {
  const promising = search.open
    .filter(qualifies)
    .toSorted((a, b) => beliefOf(search, b).mean - beliefOf(search, a).mean || a - b);
  const chosen = promising.reduce<readonly number[]>(
    (text, rule) => (text.some((one) => areExclusive(search, one, rule)) ? text : [...text, rule]),
    [],
  );
  return inOrder(chosen);
}

function giveUp(search: SearchState, leaving: ReadonlySet<number>): SearchState {
  return settle({
    ...search,
    open: search.open.filter((rule) => !leaving.has(rule)),
    givenUp: [...search.givenUp, ...search.open.filter((rule) => leaving.has(rule))],
  });
}

/** A fit takes longer with more rules, so if there are many, those given up first leave it. */
function settle(search: SearchState): SearchState {
  const inModel = search.givenUp.filter((rule) => !search.settled.has(rule));
  const leaving = inModel.slice(0, Math.max(search.columns.length - searchConstants.columns, 0));
  if (leaving.length === 0) return search;
  const columns = new Set(columnsIn(search, leaving));
  const last = leaving.map(
    (rule) => [rule, { ...beliefOf(search, rule), ...worthOf(search, rule) }] as const,
  );
  return {
    ...search,
    model: settleColumns(search.model, columns),
    claimed: search.claimed && settleColumns(search.claimed, columns),
    columns: search.columns.filter((rule) => !leaving.includes(rule)),
    settled: new Map([...search.settled, ...last]),
  };
}

const columnsIn = (search: SearchState, rules: readonly number[]): readonly number[] =>
  rules.map((rule) => columnOf(search, rule));

export function columnOf({ columns }: SearchState, rule: number): number {
  const column = columns.indexOf(rule);
  if (column < 0) throw new Error(`The search has no rule ${rule} in its model.`);
  return column;
}

const inOrder = (rules: readonly number[]): readonly number[] => rules.toSorted((a, b) => a - b);
