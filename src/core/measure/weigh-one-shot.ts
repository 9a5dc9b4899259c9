import type { Context } from "../context.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import { mean } from "../mean.ts";
import { skillIdentity } from "../skill/hash.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { contractsOf } from "../stages/optimizer-text.ts";
import { findRewriteProblem } from "../stages/find-rewrite-problem.ts";
import { claimedTasks } from "../tasks/few-tasks.ts";
import type { Splits } from "../tasks/task.ts";
import type { OneShot } from "./baselines.ts";
import { noteMade } from "./claim-log.ts";
import { measureSkill, weightedMean } from "./evaluate.ts";
import { percent } from "./percent.ts";
import type { Sealed } from "./seal.ts";

/** A one-shot rewrite compared with the result of a search, on the same test tasks. */
export interface WeighedOneShot {
  readonly skill: Skill;
  /** The share of test tasks that pass with it, one trial each. */
  readonly score: number;
  /** The same for the result of the search: the trials of the sealed test, or one trial without a sealed test. */
  readonly final: number;
  /** It passes more tasks, and no guard refuses its text. */
  readonly isOffered: boolean;
  /** Its measurement, and why it isn't offered. */
  readonly sentence: string;
}

export interface WeighInput {
  readonly original: Skill;
  readonly best: Skill;
  readonly rewrite: OneShot;
  readonly sealed: Sealed;
  readonly splits: Splits;
  readonly leaks: LeakIndex;
}

/** Compares a rewrite that was paid for anyway with the result of the search. It was chosen on test, so it's never proven. */
export async function weighOneShot(input: WeighInput, context: Context): Promise<WeighedOneShot | undefined> {
  const { original, best, rewrite, splits, leaks } = input;
  const { skill, score, rolled } = rewrite;
  const isSame = [original, best].some((other) => skillIdentity(other) === skillIdentity(skill));
  if (score === undefined || isSame) return undefined;
  const final = await finalScore(input, context);
  if (final === undefined) return undefined;
  const guard = { skill: original, leaks, contracts: contractsOf(splits.train) };
  const isHigher = score.hard > final;
  const refused = isHigher
    ? findRewriteProblem(original, mainText(skill), guard, context.settings)
    : undefined;
  const isOffered = isHigher && refused === undefined;
  if (isOffered) {
    // lines that the trained text has too weren't chosen on test
    const from = { ...original, files: { ...original.files, best: mainText(best) } };
    await noteMade(skill, { from, tasks: [...splits.train, ...splits.test] }, context);
  }
  const passed = rolled.filter(({ outcome }) => outcome.kind === "scored" && outcome.hard === 1).length;
  const isOriginal = skillIdentity(original) === skillIdentity(best);
  const facts = {
    score: score.hard,
    passed,
    tasks: rolled.length,
    final,
    isOriginal,
    isHigher,
    refused,
    isTest: splits.test.length > 0,
  };
  return { skill, score: score.hard, final, isOffered, sentence: oneShotSentence(facts) };
}

/** Undefined while results are missing. */
async function finalScore({ best, sealed, splits, rewrite }: WeighInput, context: Context) {
  const test = claimedTasks(splits);
  if (sealed.kind === "claimed") {
    const rolled = sealed.best.rolled.flat();
    const scored = test.flatMap((task) => {
      const hard = rolled.flatMap((one) =>
        one.task.id === task.id && one.outcome.kind === "scored" ? [one.outcome.hard] : [],
      );
      return hard.length === 0 ? [] : [{ task, outcome: { hard: mean(hard), soft: 0 } }];
    });
    return scored.length < rewrite.rolled.length ? undefined : weightedMean(scored).hard;
  }
  // a rewrite that passes nothing can't be better, so nothing more is bought to find that out
  if (rewrite.score?.hard === 0) return 0;
  const draw = { purpose: "baseline", trial: 0 } as const;
  const place = { role: "target", step: 0, stage: "test" } as const;
  return (await measureSkill(best, "test", test, draw, place, context)).score?.hard;
}

interface OneShotFacts {
  readonly score: number;
  readonly passed: number;
  readonly tasks: number;
  readonly final: number;
  /** Whether the tasks come from a test split. */
  readonly isTest: boolean;
  /** Whether it's compared with the original. */
  readonly isOriginal: boolean;
  readonly isHigher: boolean;
  /** Why a guard refuses its text. */
  readonly refused?: string | undefined;
}

/** The result of a one-shot rewrite compared with the result of the search. One trial per task on test proves nothing. */
function oneShotSentence(facts: OneShotFacts): string {
  const { score, passed, tasks, final, isOriginal, isHigher, refused, isTest } = facts;
  if (passed === 0 && !isHigher) return "The one-shot rewrite passes no test task, so it isn't offered.";
  const other = isOriginal ? "the original" : "the trained text";
  const measured = `One-shot rewrite: ${percent(score)} on ${isTest ? "test" : "these tasks"} (${passed} of ${tasks}), ${other} ${percent(final)}.`;
  if (!isHigher) return `${measured} It isn't better, so it isn't offered.`;
  if (refused !== undefined) return `${measured} It isn't offered: ${refused}.`;
  return `${measured} It was tried once per task, so it's not proven.`;
}
