import {
  couldBeShown,
  isHopeless,
  planLooks,
  testNonInferiority,
} from "../../../src/core/gate/claim/non-inferiority.ts";
import { usualTexts } from "../../../src/core/rules/few-texts.ts";
import { sift } from "../../../src/core/rules/prune/sift-rules.ts";
import { mostTrials } from "../../../src/core/rules/prune/test-loss.ts";
import { seededRandom } from "../../../src/testing/index.ts";
import { type PruneCase, pruneSettings } from "./prune-run.ts";

export interface SimulatedPruning {
  /** Planted rules that were removed, and kinds of parcels whose last rule was. */
  readonly planted: number;
  readonly lost: number;
  /** Whether the rule that says the same as another was removed, or that other one. */
  readonly repeat: boolean;
  readonly rollouts: number;
}

/**
 * A pruning of the office's skill without a run around it: the search for needed rules and the test are the program's own, the
 * target is a throw of dice. With `repeats`, one rule of the skill is there twice.
 */
export async function simulatePruning(
  seed: number,
  { noise, val }: PruneCase,
  repeats: boolean,
): Promise<SimulatedPruning> {
  const { rules: kinds, rulesHeld, planted, margin } = pruneSettings;
  const kindOf = [
    ...Array.from({ length: rulesHeld }, (_, kind) => kind),
    ...(repeats ? [0] : []),
    ...Array.from({ length: planted }, () => -1),
  ];
  const pass = (1 + Math.sqrt(1 - 2 * noise)) / 2;
  const dice = seededRandom("simulated pruning", seed, noise, val, Number(repeats));
  let rollouts = 0;
  const roll = (has: readonly number[], task: number): number => {
    rollouts += 1;
    const isHeld = has.some((rule) => kindOf[rule] === task % kinds);
    return Number(dice() < (isHeld ? pass : 1 - pass));
  };
  const size = { rules: kindOf.length, tasks: val, texts: usualTexts(val) };
  const { needed, flipRate } = await sift(
    size,
    (nth) => seededRandom("simulated pass", seed, nth),
    async (passes) =>
      passes.map(({ texts, textOf }) => textOf.map((text, task) => roll(texts[text] ?? [], task))),
  );
  const all = [...kindOf.keys()];
  const isShown =
    needed.length < all.length && showsNoLoss({ all, kept: needed }, { val, margin, flipRate }, roll);
  const after = new Set(isShown ? needed : all);
  const keptKinds = new Set(kindOf.filter((_, rule) => after.has(rule)));
  return {
    planted: kindOf.filter((kind, rule) => kind === -1 && !after.has(rule)).length,
    lost: Array.from({ length: rulesHeld }, (_, kind) => kind).filter((kind) => !keptKinds.has(kind)).length,
    repeat: kindOf.some((kind, rule) => kind === 0 && !after.has(rule)),
    rollouts,
  };
}

function showsNoLoss(
  { all, kept }: { readonly all: readonly number[]; readonly kept: readonly number[] },
  { val, margin, flipRate }: { readonly val: number; readonly margin: number; readonly flipRate: number },
  roll: (has: readonly number[], task: number) => number,
): boolean {
  const plan = planLooks({ tasks: val, margin, alpha: 0.05, flipRate, most: mostTrials });
  if (plan.power < 0.5) return false;
  const pairs = Array.from({ length: val }, () => ({ incumbent: [] as number[], candidate: [] as number[] }));
  for (let drawn = 1; drawn <= mostTrials; drawn += 1) {
    for (const [task, { incumbent, candidate }] of pairs.entries()) {
      incumbent.push(roll(all, task));
      candidate.push(roll(kept, task));
    }
    if (testNonInferiority(pairs, plan).shown) return true;
    if (isHopeless(pairs, plan) || !couldBeShown(pairs, plan, mostTrials - drawn)) return false;
  }
  return false;
}
