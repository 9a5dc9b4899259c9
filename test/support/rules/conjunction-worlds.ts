import { type RuleWorld, smallRandom } from "./rule-worlds.ts";

/**
 * Tasks that pass only if several checks hold, one for each habit that they need. Without its rule a check holds rarely, with it
 * nearly always; a harmful rule halves the checks of one habit.
 */
export interface ConjunctionOptions {
  readonly checks: number;
  readonly habits: number;
  readonly tasks: number;
  /** The chance that a proposal is a good rule for a habit that was seen failing; the others are idle (60%) or harmful. */
  readonly good: number;
  /** How often a check holds without its rule. */
  readonly before: readonly [number, number];
  /** Easy checks that harmful rules mend: partial credit points the wrong way. */
  readonly misleads?: boolean;
}

interface HabitTask {
  readonly habits: readonly number[];
  readonly before: readonly number[];
}

const kinds = ["useful", "useless", "harmful"] as const;

export interface ConjunctionWorld extends RuleWorld {
  /** Different good rules that were ever proposed. */
  readonly goodProposed: () => number;
}

export function conjunctionWorld(options: ConjunctionOptions, seed: number): ConjunctionWorld {
  const { checks, habits: all, tasks: n, good, before, misleads = false } = options;
  const [world, noise, dice] = [
    smallRandom(seed * 7919 + 101),
    smallRandom(seed * 104_729 + 103),
    smallRandom(seed * 31_337 + 5),
  ];
  const after = Array.from({ length: all }, () => 0.9 + 0.1 * world());
  const drawTask = (): HabitTask => {
    const left = Array.from({ length: all }, (_, habit) => habit);
    const habits = Array.from(
      { length: checks },
      () => left.splice(Math.floor(world() * left.length), 1)[0] ?? 0,
    );
    return { habits, before: habits.map(() => before[0] + (before[1] - before[0]) * world()) };
  };
  const draw = (count: number) => Array.from({ length: count }, drawTask);
  const [val, train, fresh] = [draw(n), draw(Math.min(n + 1, 40)), draw(400)];
  const rules: { readonly kind: number; readonly habit: number }[] = [];
  const chancesOf = (text: readonly number[], { habits, before: own }: HabitTask) => {
    const held = text.map((rule) => rules[rule] as { kind: number; habit: number });
    return habits.map((habit, at) => {
      const has = held.some((rule) => rule.kind === 0 && rule.habit === habit);
      const harms = held.filter((rule) => rule.kind === 2 && rule.habit === habit).length;
      return (has ? (after[habit] as number) : (own[at] as number)) * 0.5 ** harms;
    });
  };
  // three checks that any harmful rule mends, so that it looks better than it is
  const easy = (text: readonly number[]) => (text.some((rule) => rules[rule]?.kind === 2) ? 3 : 0);
  const rollTask = (text: readonly number[], task: HabitTask, failing?: number[]) => {
    const holds = chancesOf(text, task).map((chance) => noise() < chance);
    holds.forEach((isHeld, at) => {
      const habit = task.habits[at] as number;
      if (!isHeld && failing !== undefined) failing[habit] = (failing[habit] ?? 0) + 1;
    });
    const held = holds.filter(Boolean).length;
    const credit = misleads ? (held + easy(text)) / (checks + 3) : held / checks;
    return { score: Number(held === checks), credit };
  };
  const add = (kind: number, habit: number) => rules.push({ kind, habit }) - 1;
  return {
    n,
    dice,
    at: (rule) => ({ kind: kinds[rules[rule]?.kind ?? 1] ?? "useless", tokens: 35 }),
    propose: (shown, count) => {
      const failing = Array.from({ length: all }, () => 0);
      for (let roll = 0; roll < Math.min(train.length, 8); roll += 1)
        rollTask(shown, train[Math.floor(world() * train.length)] as HabitTask, failing);
      return Array.from({ length: count }, () => {
        const total = failing.reduce((sum, one) => sum + one, 0);
        if (world() >= good || total === 0) return add(world() < 0.6 ? 1 : 2, Math.floor(world() * all));
        let at = Math.floor(world() * total);
        const habit = failing.findIndex((count) => (at -= count) < 0);
        failing[habit] = 0;
        return add(0, habit);
      });
    },
    roll: (text, task) => rollTask(text, val[task] as HabitTask).score,
    rollChecks: (text, task) => rollTask(text, val[task] as HabitTask),
    truth: (text) =>
      fresh.reduce((sum, task) => sum + chancesOf(text, task).reduce((all, one) => all * one, 1), 0) /
      fresh.length,
    goodProposed: () => new Set(rules.flatMap(({ kind, habit }) => (kind === 0 ? [habit] : []))).size,
  };
}
