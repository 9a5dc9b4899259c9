import { type CoinEvidence, type CoinRoll, openBets } from "../e-values.ts";
import type { PrunePass } from "./draw-pass.ts";

/** A pass with its scores, by task; null where a result is missing. */
export interface RolledPass extends PrunePass {
  readonly scores: readonly (number | null)[];
}

export interface NeededParts {
  /** Numbers of the rules that some task needs, the surest first. */
  readonly rules: readonly number[];
  /** For each rule the e-value of "some task needs it": when it was taken, or at the end. */
  readonly evidence: readonly number[];
  /** For each task the rules that are known to move it, and which way. */
  readonly moved: readonly (readonly Mover[])[];
}

interface Mover {
  readonly rule: number;
  readonly sign: 1 | -1;
}

/** A task counts as moved by a rule when that is so likely. */
const surelyMoved = 0.9;

/**
 * The rules that some task needs, by e-values from `bar` on, the surest first. A task that a surer rule moves tells of the others
 * only by rollouts that had that rule if it helps, and lacked it if it harms. So of two rules that say the same one is needed, and
 * the other is not.
 */
export function findNeeded(passes: readonly RolledPass[], count: number, bar: number): NeededParts {
  const tasks = passes[0]?.textOf.length ?? 0;
  const moved: Mover[][] = Array.from({ length: tasks }, () => []);
  const bets = Array.from({ length: count }, (_, rule) =>
    openBets(
      passes.map(({ texts }) => texts.map((has) => has[rule] === true)),
      tasks,
    ),
  );
  const open = new Set(bets.keys());
  const show = (task: number) => {
    const rolls = rollsAtBest(task, passes, moved);
    for (const rule of open) bets[rule]?.see(task, rolls);
  };
  for (const task of moved.keys()) show(task);
  const rules: number[] = [];
  const evidence: number[] = [];
  for (;;) {
    let surest: (Mover & CoinEvidence) | undefined;
    for (const rule of open)
      for (const sign of [1, -1] as const) {
        const found = bets[rule]?.evidence(sign);
        if (found === undefined) continue;
        if (sign === 1) evidence[rule] = found.value;
        if (found.value >= bar && found.value > (surest?.value ?? 0)) surest = { rule, sign, ...found };
      }
    if (surest === undefined) return { rules, evidence, moved };
    const { rule, sign, concerns } = surest;
    open.delete(rule);
    if (sign === 1) rules.push(rule);
    for (const [task, chance] of concerns.entries()) {
      if (chance <= surelyMoved) continue;
      moved[task]?.push({ rule, sign });
      show(task);
    }
  }
}

/** The rollouts of a task that had all that it is known to need. */
export const rollsAtBest = (
  task: number,
  passes: readonly RolledPass[],
  moved: NeededParts["moved"],
): readonly CoinRoll[] =>
  passes.flatMap(({ texts, textOf, scores }, pass) => {
    const [text, score] = [textOf[task] ?? 0, scores[task] ?? null];
    return score === null || !isAtBest(task, texts[text] ?? [], moved) ? [] : [{ pass, text, score }];
  });

/** Whether a text has every rule that is known to help a task, and none that is known to harm it. */
export const isAtBest = (task: number, has: readonly boolean[], moved: NeededParts["moved"]): boolean =>
  (moved[task] ?? []).every(({ rule, sign }) => has[rule] === (sign === 1));
