import { hashJson } from "../canonical.ts";
import type { Context, Place } from "../context.ts";
import { type ClaimLimits, claimLimits } from "../gate/claim-limits.ts";
import { claimTrials } from "../gate/claim-trials.ts";
import { type ClaimVerdict, claimVerdict } from "../gate/claim-verdict.ts";
import { sealedAlpha } from "../gate/sealed-alpha.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { TrainSettings } from "../settings.ts";
import type { Skill } from "../skill/skill.ts";
import { taskHash } from "../tasks/task-hash.ts";
import type { Task } from "../tasks/task.ts";
import { timed } from "./timed.ts";
import { type Trials, rollTrials } from "./trials.ts";

/** What may be said about the best skill against the original. */
export type Sealed =
  | {
      readonly kind: "claimed";
      readonly claim: ClaimVerdict;
      /** Of this read. */
      readonly alpha: number;
      /** How often this test set has been read, this one included, over all runs in the journal. */
      readonly read: number;
      readonly trials: number;
      readonly original: Trials;
      readonly best: Trials;
    }
  /** The original stays, so there is nothing to claim and the test set was not read. */
  | { readonly kind: "unchanged"; readonly trials: number; readonly original: Trials }
  /** Not even the best possible outcome could be a claim. */
  | { readonly kind: "refused"; readonly limits: ClaimLimits };

/** Trials per task and arm of the sealed test: more of them where tasks are few, fixed before the run. */
export function sealedTrials(tasks: number, { trials, sealedAlpha: alpha, seed }: TrainSettings): number {
  return claimTrials({ tasks, trials, alpha: sealedAlpha(alpha, 1), seed });
}

export interface SealedPlan {
  readonly trials: number;
  /** Whether any outcome could be a claim; if none could, no arm is bought. */
  readonly limits: ClaimLimits;
}

/** What is fixed about the sealed test before the run. */
export function planSealed(tasks: number, settings: TrainSettings): SealedPlan {
  const trials = sealedTrials(tasks, settings);
  return { trials, limits: claimLimits({ tasks, trials }, sealedAlpha(settings.sealedAlpha, 1)) };
}

/** The name of the journal's entries that count reads of a test set. */
export const sealedRead = "sealed-read";

const place: Place = { role: "target", step: 0, stage: "test" };

/** The original's arm: begun with the run, in the background, so that the end waits for one arm only. */
export async function rollOriginal(
  original: Skill,
  test: readonly Task[],
  { trials }: SealedPlan,
  context: Context,
): Promise<Trials> {
  const background: Place = { ...place, background: true };
  return rollArm(original, test, trials, background, context);
}

/** The best skill's arm. It is read by nobody before `seal`. */
export async function rollBest(
  best: Skill,
  test: readonly Task[],
  { trials }: SealedPlan,
  context: Context,
): Promise<Trials> {
  return rollArm(best, test, trials, place, context);
}

/** The sealed test: the only number reported as the gain. Reads are counted over all runs of the journal. */
export async function seal(
  original: Skill,
  best: Skill,
  test: readonly Task[],
  plan: SealedPlan,
  /** Missing where no claim is possible. */
  originalArm: Promise<Trials> | undefined,
  context: Context,
): Promise<Sealed> {
  const { trials, limits } = plan;
  if (originalArm === undefined) return { kind: "refused", limits };
  if (skillIdentity(original) === skillIdentity(best))
    return { kind: "unchanged", trials, original: await originalArm };
  const [read, before, after] = await Promise.all([
    countRead({ original, best, test, trials }, context),
    originalArm,
    rollBest(best, test, plan, context),
  ]);
  const alpha = sealedAlpha(context.settings.sealedAlpha, read);
  const pairs = test.map((_, index) => ({
    incumbent: before.scores[index] ?? [],
    candidate: after.scores[index] ?? [],
  }));
  return {
    kind: "claimed",
    claim: claimVerdict(pairs, { alpha }),
    alpha,
    read,
    trials,
    original: before,
    best: after,
  };
}

async function rollArm(
  skill: Skill,
  test: readonly Task[],
  trials: number,
  at: Place,
  context: Context,
): Promise<Trials> {
  const plan = { split: "test", tasks: test, purpose: "sealed", trials, place: at } as const;
  return timed("test", 0, test.length * trials, () => rollTrials(skill, plan, context), context);
}

export interface SealedReading {
  readonly original: Skill;
  readonly best: Skill;
  readonly test: readonly Task[];
  readonly trials: number;
  /** Of a reading for non-inferiority, which is another question. */
  readonly margin?: number;
}

/**
 * A reading that the journal knows is not a new read. Reads stand in a log of the test set's own, beside those of the
 * runs: they count over all of them, and outlive a run that is removed.
 */
export async function countRead(
  { original, best, test, trials, margin }: SealedReading,
  { journal, models, settings, clock }: Context,
): Promise<number> {
  const log = `sealed:${hashJson(test.map(taskHash).toSorted())}`;
  const reading = hashJson({
    original: skillIdentity(original),
    best: skillIdentity(best),
    trials,
    target: models.target,
    fresh: settings.fresh ?? null,
    ...(margin === undefined ? {} : { margin }),
  });
  const known: string[] = [];
  for await (const { body } of journal.read({ run: log, names: [sealedRead] })) {
    const earlier = body["reading"];
    if (typeof earlier === "string" && !known.includes(earlier)) known.push(earlier);
  }
  const at = known.indexOf(reading);
  if (at !== -1) return at + 1;
  const body = { v: 1, seq: known.length + 1, at: clock.now(), reading };
  await journal.write({ kind: "event", run: log, key: "", name: sealedRead, body });
  return known.length + 1;
}
