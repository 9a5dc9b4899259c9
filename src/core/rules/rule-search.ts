import type { Used } from "../used.ts";
import { fitRules, startModel } from "./fit-rules.ts";
import { type Belief, type WorthModel, addColumns, addScores, beliefAbout, clamp } from "./rule-model.ts";
import { interval90 } from "./interval-90.ts";

interface RuleSearchPlan {
  readonly tasks: number;
  /** Independent ones among the tasks (groups, or the tasks themselves): val is a sample of so many. */
  readonly units: number;
  readonly weights?: readonly number[];
  readonly steps: number;
  /** Val rollouts in all that the search may spend. */
  readonly rollouts: number;
  /** Distinct texts of a part of a step; 0: each rollout has its own. */
  readonly texts: number;
}

/** A rule as the search sees it: a number, which grows from rule to rule, and what it costs and excludes. */
export interface NewEdit {
  readonly rule: number;
  readonly tokens: number;
  /** Earlier rules that are never in one text with this one. */
  readonly excludes?: readonly number[];
}

/**
 * A search for the rules that help. It is a fold: every function gives a new search, and the same calls with the same
 * results give the same search. Rules are named by their numbers.
 */
export interface SearchState {
  readonly plan: RuleSearchPlan;
  readonly model: WorthModel;
  /** All rules that ever came, by column of the model, and the column of each. */
  readonly rules: readonly NewEdit[];
  readonly columns: ReadonlyMap<number, number>;
  /** Under test: each rollout has some of them. */
  readonly open: readonly number[];
  /** Known to help: in every text from now on. */
  readonly builtIn: readonly number[];
  readonly givenUp: readonly number[];
  /** Rollouts so far, missing ones included, in all and by task. */
  readonly spent: number;
  readonly rolled: readonly number[];
}

/** One result of a val rollout; the rules are those that were really in the text. */
export interface TextResult {
  readonly task: number;
  readonly rules: readonly number[];
  /** In [0, 1]; null: missing. */
  readonly score: number | null;
  /** What the rollout took, where somebody counted. */
  readonly used?: Pick<Used, "tokens" | "turns"> | undefined;
}

export const searchConstants = {
  /** Most rules under test at once. */
  open: 24,
  /** Given up below this chance to help; built in above that one. */
  giveUp: 0.05,
  buildIn: 0.995,
  /** The optimizer is shown the text with all rules above this chance. */
  show: 0.5,
  /** What a rule of `usualTokens` must be expected to bring to be kept, as a share of what the original leaves to gain: it costs something in every call. */
  price: 0.012,
  usualTokens: 35,
  /** Chance that the kept rules together help; below it the original is handed back. */
  doubt: 0.85,
  /** Share of the rollouts for after the last proposal, which would else be judged by one pass. */
  ending: 0.12,
  /** Share for the kept rules against the original, task by task. */
  confirmation: 0.1,
} as const;

export function startRules(plan: RuleSearchPlan): SearchState {
  return {
    plan,
    model: startModel(plan),
    rules: [],
    columns: new Map(),
    open: [],
    builtIn: [],
    givenUp: [],
    spent: 0,
    rolled: Array.from({ length: plan.tasks }, () => 0),
  };
}

/** Takes new rules under test, and a built-in rule again that a new one excludes. Beyond the bound the least promising give way. */
export function openRules(search: SearchState, rules: readonly NewEdit[]): SearchState {
  const allRules = [...search.rules, ...rules];
  const isDoubted = (rule: number) => rules.some(({ excludes = [] }) => excludes.includes(rule));
  const known = {
    ...search,
    model: addColumns(search.model, rules.length),
    rules: allRules,
    columns: new Map(allRules.map(({ rule }, column) => [rule, column])),
    builtIn: search.builtIn.filter((rule) => !isDoubted(rule)),
  };
  const all = [...search.open, ...search.builtIn.filter(isDoubted), ...rules.map(({ rule }) => rule)];
  // of equals the newer give way
  const byPromise = all.toSorted((a, b) => beliefOf(known, b).helps - beliefOf(known, a).helps || a - b);
  return giveUp(known, new Set(byPromise.slice(searchConstants.open)), all);
}

/** Val rollouts of the two parts of a step, the second of which knows what the first has shown. Step `plan.steps` is the ending. */
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

/** Adds the results of a part, in canonical order, and fits the model to all so far. */
export function addResults(search: SearchState, results: readonly TextResult[]): SearchState {
  const scored = results.flatMap(({ task, rules, score }) =>
    score === null ? [] : [{ task, columns: columnsIn(search, rules).toSorted((a, b) => a - b), score }],
  );
  const rolled = [...search.rolled];
  for (const { task } of results) rolled[task] = (rolled[task] ?? 0) + 1;
  return {
    ...search,
    model: fitRules(addScores(search.model, scored)),
    spent: search.spent + results.length,
    rolled,
  };
}

/** Ends a step: what is certain is built in or given up, and with a rule that is built in those that it excludes. */
export function endStep(search: SearchState): SearchState {
  const helps = (rule: number) => beliefOf(search, rule).helps;
  const builtIn = best(search, (rule) => helps(rule) > searchConstants.buildIn);
  const open = search.open.filter((rule) => !builtIn.includes(rule));
  const leaving = open.filter(
    (rule) => helps(rule) < searchConstants.giveUp || builtIn.some((one) => areExclusive(search, rule, one)),
  );
  return giveUp({ ...search, builtIn }, new Set(leaving), open);
}

/** The rules of the incumbent that the optimizer is shown. */
export function likelyRules(search: SearchState): readonly number[] {
  return best(search, (rule) => beliefOf(search, rule).helps > searchConstants.show);
}

/** The rules that the search ends with; none in doubt, which hands back the original. */
export function keptRules(search: SearchState): readonly number[] {
  const kept = worthKeeping(search);
  return beliefAbout(search.model, columnsIn(search, kept)).helps < searchConstants.doubt ? [] : kept;
}

/** The rules that are expected to be worth their tokens. */
export function worthKeeping(search: SearchState): readonly number[] {
  return best(
    search,
    (rule) => beliefOf(search, rule).helps > 0.5 && expectedOf(search, rule) > priceOf(search, rule),
  );
}

/** What a rule is expected to bring, when it may do nothing at all. */
function expectedOf({ model, columns, rules }: SearchState, rule: number): number {
  const { acts, worth } = model.fit.kinds;
  const column = columns.get(rule) ?? rules.length;
  return (acts[column] ?? 0) * (worth[column] ?? 0);
}

/** A part of it is for being there at all, the rest for its tokens. */
function priceOf({ model, columns, rules }: SearchState, rule: number): number {
  const { price, usualTokens } = searchConstants;
  const { tokens = usualTokens } = rules[columns.get(rule) ?? 0] ?? {};
  const room = clamp(1 - model.fit.middle, 0.02, 1);
  return price * room * (0.7 + (0.3 * tokens) / usualTokens);
}

export function worthOf(search: SearchState, rules: readonly number[]): Worth {
  return worthOfColumns(search.model, columnsIn(search, rules));
}

/** What a text is expected to bring over the original, as a share of the score. */
export function gainOf(search: SearchState, text: readonly number[]): number {
  return beliefAbout(search.model, columnsIn(search, text)).mean;
}

export function beliefOf(search: SearchState, rule: number): Belief {
  return beliefAbout(search.model, [columnOf(search, rule)]);
}

export function areExclusive(search: SearchState, a: number, b: number): boolean {
  const excludes = (one: number, other: number) =>
    search.rules[columnOf(search, one)]?.excludes?.includes(other) === true;
  return excludes(a, b) || excludes(b, a);
}

/** Built-in rules and the open ones that qualify; of exclusive ones the more promising. */
function best(search: SearchState, qualifies: (rule: number) => boolean): readonly number[] {
  const promising = search.open
    .filter(qualifies)
    .toSorted((a, b) => beliefOf(search, b).mean - beliefOf(search, a).mean || a - b);
  const chosen = promising.reduce<readonly number[]>(
    (text, rule) => (text.some((one) => areExclusive(search, one, rule)) ? text : [...text, rule]),
    search.builtIn,
  );
  return inOrder(chosen);
}

function giveUp(search: SearchState, leaving: ReadonlySet<number>, open: readonly number[]): SearchState {
  return {
    ...search,
    open: open.filter((rule) => !leaving.has(rule)),
    givenUp: [...search.givenUp, ...open.filter((rule) => leaving.has(rule))],
  };
}

const columnsIn = (search: SearchState, rules: readonly number[]): readonly number[] =>
  rules.map((rule) => columnOf(search, rule));

function columnOf({ columns }: SearchState, rule: number): number {
  const column = columns.get(rule);
  if (column === undefined) throw new Error(`The search was never given rule ${rule}.`);
  return column;
}

const inOrder = (rules: readonly number[]): readonly number[] => rules.toSorted((a, b) => a - b);

/** What a rule brings, in points of score. */
interface Worth {
  readonly mean: number;
  readonly sd: number;
  /** The 90 % interval. */
  readonly low: number;
  readonly high: number;
}

/** @param columns of one rule, or of several together */
function worthOfColumns(model: WorthModel, columns: readonly number[]): Worth {
  const { mean, sd } = beliefAbout(model, columns);
  return {
    mean: 100 * mean,
    sd: 100 * sd,
    ...interval90(100 * mean, 100 * sd),
  };
}
