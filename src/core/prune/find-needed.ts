import { type CoinEvidence, type CoinRoll, eSome } from "../rules/e-values.ts";
import type { PrunePass } from "./draw-pass.ts";

/** A pass with its scores, by task; null where a result is missing. */
export interface RolledPass extends PrunePass {
  readonly scores: readonly (number | null)[];
}

export interface NeededRules {
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
export function findNeeded(passes: readonly RolledPass[], count: number, bar: number): NeededRules {
  const tasks = passes[0]?.textOf.length ?? 0;
  const moved: Mover[][] = Array.from({ length: tasks }, () => []);
  const open = new Set(Array.from({ length: count }, (_, rule) => rule));
  const helps: CoinEvidence[] = [];
  const rules: number[] = [];
  for (;;) {
    let surest: (Mover & CoinEvidence) | undefined;
    const rolls = passes.map((pass) => rollsAtBest(pass, moved));
    for (const rule of open) {
      const seen = passes.map(({ texts }, at) => ({
        has: texts.map((has) => has[rule] === true),
        rolls: rolls[at] ?? [],
      }));
      helps[rule] = eSome(seen, tasks);
      for (const sign of [1, -1] as const) {
        const found = sign === 1 ? helps[rule] : eSome(seen, tasks, sign);
        if (found.value >= bar && found.value > (surest?.value ?? 0)) surest = { rule, sign, ...found };
      }
    }
    const evidence = helps.map(({ value }) => value);
    if (surest === undefined) return { rules, evidence, moved };
    const { rule, sign, concerns } = surest;
    open.delete(rule);
    if (sign === 1) rules.push(rule);
    concerns.forEach((chance, task) => {
      if (chance > surelyMoved) moved[task]?.push({ rule, sign });
    });
  }
}

const rollsAtBest = (
  { texts, textOf, scores }: RolledPass,
  moved: NeededRules["moved"],
): readonly CoinRoll[] =>
  scores.flatMap((score, task) => {
    const text = textOf[task] ?? 0;
    return score === null || !isAtBest(task, texts[text] ?? [], moved) ? [] : [{ task, text, score }];
  });

/** Whether a text has every rule that is known to help a task, and none that is known to harm it. */
export const isAtBest = (task: number, has: readonly boolean[], moved: NeededRules["moved"]): boolean =>
  (moved[task] ?? []).every(({ rule, sign }) => has[rule] === (sign === 1));
