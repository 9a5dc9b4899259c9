import { shuffle } from "../random.ts";
import { drawTimes } from "./few-texts.ts";
import { clamp } from "./rule-model.ts";
import {
  type SearchState,
  type DrawnText,
  areExclusive,
  beliefOf,
  columnOf,
  searchConstants,
  leanRules,
  worthKeeping,
} from "./rule-search.ts";

/** Val rollouts that belong together: fixed before the first of them, and run side by side. */
export interface Pass {
  /** The rules of each text. */
  readonly texts: readonly (readonly number[])[];
  readonly rolls: readonly { readonly task: number; readonly text: number }[];
  /** For each text; missing if nothing was left to chance. */
  readonly drawn?: readonly DrawnText[];
}

export const drawConstants = {
  /** Chance to be in a text: ½ + steep · (chance to help − ½), between low and high; ½ for a new rule. */
  steep: 2,
  low: 0.1,
  high: 0.9,
  /** For few tasks, where otherwise each rule would be missing from, or present in, too few texts of a task. */
  few: { steep: 1, low: 0.3, high: 0.9 },
} as const;

/**
 * Random subsets of the open rules on this many tasks. The tasks with the fewest rollouts come first, so that each gets
 * its turn before any gets another, and the texts of a pass alternate.
 */
export function drawTexts(search: SearchState, rollouts: number, random: () => number): Pass {
  const tasks = nextTasks(search, rollouts, random);
  const { tasks: all, texts: few } = search.plan;
  // a part is named by the number of rollouts before it
  const before = search.rolled.reduce((sum, one) => sum + one, 0);
  const drawn: DrawnText[] = [];
  const rolls: { task: number; text: number }[] = [];
  for (let start = 0; start < rollouts; start += all) {
    const pass = tasks.slice(start, start + all);
    const first = drawn.length;
    const count = few === 0 ? pass.length : Math.min(few, pass.length);
    const part = before + start;
    for (const rules of textsOf(search, count, random)) drawn.push({ part, rules });
    pass.forEach((task, at) => rolls.push({ task, text: first + (at % count) }));
  }
  return { texts: drawn.map(({ rules }) => rules), rolls, drawn };
}

/** The full text and the lean one against the original, task by task. Empty if no rule looks worth keeping. */
export function drawConfirmation(
  search: SearchState,
  random: () => number,
  shown?: ReadonlySet<number>,
): Pass {
  const kept = worthKeeping(search);
  if (kept.length === 0) return { texts: [], rolls: [] };
  const { rollouts } = search.plan;
  const lean = leanRules(search, kept, shown);
  const isOwn = lean.length > 0 && lean.length < kept.length;
  const texts = isOwn ? [kept, [], lean] : [kept, []];
  const most = Math.min(rollouts * searchConstants.confirmation, rollouts - search.spent);
  return {
    texts,
    rolls: nextTasks(search, Math.floor(most / texts.length), random).flatMap((task) =>
      texts.map((_, text) => ({ task, text })),
    ),
  };
}

/** Tasks in random order, those with the fewest rollouts first, in as many rounds as needed. */
function nextTasks({ rolled }: SearchState, count: number, random: () => number): number[] {
  const counts = [...rolled];
  const order: number[] = [];
  while (order.length < count) {
    const fewest = counts.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
    for (const task of shuffle(
      [...counts.keys()].filter((task) => counts[task] === fewest),
      random,
    )) {
      if (order.length === count) break;
      order.push(task);
      counts[task] = fewest + 1;
    }
  }
  return order;
}

/** Each rule is in as many of them as its chance says. */
function textsOf(search: SearchState, count: number, random: () => number): readonly (readonly number[])[] {
  const texts = Array.from({ length: count }, (): number[] => []);
  for (const rule of shuffle(search.open, random)) {
    const times = drawTimes(chanceIn(search, rule), count, random);
    const free = shuffle(texts, random).filter((text) => fits(search, rule, text));
    for (const text of free.slice(0, times)) text.push(rule);
  }
  return texts.map((text) => text.toSorted((a, b) => a - b));
}

function chanceIn(search: SearchState, rule: number): number {
  const { steep, low, high } = search.plan.isShared === true ? drawConstants.few : drawConstants;
  // a rule without results is only fitted with the next ones
  if (columnOf(search, rule) >= search.model.fit.mean.length) return 0.5;
  return clamp(0.5 + steep * (beliefOf(search, rule).gains - 0.5), low, high);
}

const fits = (search: SearchState, rule: number, text: readonly number[]): boolean =>
  text.every((other) => !areExclusive(search, rule, other));
