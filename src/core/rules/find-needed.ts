import { fitRules } from "./fit-rules.ts";
import { type Part, type Worth, chanceUnder, worthOfParts } from "./kinds.ts";
import type { Cell, WorthModel } from "./rule-model.ts";
import { type TaskEffect, taskEffects } from "./task-effects.ts";

/** Everything that the results say about one rule. */
export interface FoundRule {
  readonly worth: Worth;
  /** The chance that some task needs it. */
  readonly needed: number;
  /** The results behind both. */
  readonly rollouts: number;
}

export interface FoundRules {
  /** Numbers of the needed rules, in the order in which they were taken. */
  readonly needed: readonly number[];
  /** For every rule: its state when it was taken as needed, or at the end. */
  readonly found: readonly FoundRule[];
  /** Whether a result's text had everything that its task is known to need. */
  readonly isAtBest: (result: Pick<Cell, "task" | "columns">) => boolean;
}

/** From this chance on, a rule is in every later text. */
export const surelyNeeded = 0.99;

/** From this chance on, a rule counts as needed in the end. */
export const neededFrom = 0.9;

/** A task needs a rule if it loses this much of a score without it. */
const leastNeed = 1 / 3;

/**
 * The rules that are needed with a chance of at least `bar`: they help on average over all tasks, or some task needs
 * them. The surest are taken first, and the model is fitted again without the results that lacked what their task
 * needs. So of two rules that say the same, one is needed and the other isn't.
 */
export function findNeeded(fitted: WorthModel, bar: number): FoundRules {
  const needs = new Map<number, readonly number[]>();
  const needed: number[] = [];
  const found: FoundRule[] = [];
  const isAtBest: FoundRules["isAtBest"] = ({ task, columns }) =>
    (needs.get(task) ?? []).every((rule) => columns.includes(rule));
  let model = fitted;
  for (;;) {
    const effects = Map.groupBy(taskEffects(model), ({ column }) => column);
    const rollouts = [...model.cells.values()].reduce((sum, { count }) => sum + count, 0);
    const open = [...model.fit.parts.keys()].filter((rule) => !needed.includes(rule));
    for (const rule of open)
      found[rule] = {
        worth: worthOfParts(model.fit.parts[rule] as readonly Part[]),
        needed: chanceOfAny(effects.get(rule) ?? []),
        rollouts,
      };
    const chance = (rule: number) => Math.max(found[rule]?.worth.helps ?? 0, found[rule]?.needed ?? 0);
    const surest = open.toSorted((a, b) => chance(b) - chance(a));
    const most = surest[0] === undefined ? 0 : chance(surest[0]);
    if (most < bar) return { needed, found, isAtBest };
    const told = new Set<number>();
    for (const rule of surest.filter((one) => chance(one) >= Math.min(most, surelyNeeded))) {
      const tasks = (effects.get(rule) ?? []).flatMap((one) => (chanceOfNeed(one) > 0.5 ? one.task : []));
      // a task that needs a surer rule informs about this one after the next fit
      if (tasks.some((task) => told.has(task))) continue;
      needed.push(rule);
      for (const task of tasks) {
        told.add(task);
        needs.set(task, [...(needs.get(task) ?? []), rule]);
      }
    }
    model = fitRules({ ...model, cells: new Map([...fitted.cells].filter(([, cell]) => isAtBest(cell))) });
  }
}

const chanceOfNeed = ({ parts }: TaskEffect): number => 1 - chanceUnder(parts, leastNeed);

const chanceOfAny = (effects: readonly TaskEffect[]): number =>
  1 - effects.reduce((none, effect) => none * (1 - chanceOfNeed(effect)), 1);
