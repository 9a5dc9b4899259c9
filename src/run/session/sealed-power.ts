import { allTasks, isShared } from "../../core/tasks/few-tasks.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { assumedFlipRate } from "../../core/gate/claim/claim-trials.ts";
import { type ClaimPlanInput, planDetectable } from "../../core/gate/claim/plan-claim.ts";
import { firstBar } from "../../core/gate/claim/account.ts";
import { nextBar } from "../../core/measure/claim-log.ts";
import { planSealed } from "../../core/measure/seal.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { shortIdentity } from "../../core/skill/hash.ts";
import { unitsOf } from "../../core/tasks/clusters.ts";
import { noTestSentence, onTheseAlone, notReadSentence, provableSentence } from "../../core/plan-words.ts";
import { readLastScore } from "./last-score.ts";

export interface NextRead {
  readonly claim: ClaimPlanInput;
  /** The number of the next read of these tasks. */
  readonly read: number;
}

/** The score of this skill with this target, according to the journal. */
export const knownScore = async (
  { models, skill }: Pick<Resolved, "models" | "skill">,
  journal: Journal | undefined,
): Promise<number | undefined> =>
  journal && (await readLastScore(journal, shortIdentity(skill), models.target));

/** Used if the score hasn't been measured. */
export const assumedScore = 0.5;

/** The plan for the next read of the sealed test. */
export async function planNextRead(
  { settings, models, splits }: Pick<Resolved, "settings" | "models" | "splits">,
  score: number | undefined,
  journal: Journal | undefined,
): Promise<NextRead> {
  const { test } = splits;
  const { read, pay } =
    journal === undefined
      ? { read: 1, pay: undefined }
      : await nextBar({ tasks: test, file: allTasks(splits) }, models.target, journal);
  const alpha = firstBar(settings.sealedAlpha, pay);
  const tasks = new Set(unitsOf(test)).size;
  const { trials } = planSealed(test, settings, alpha);
  const claim = { tasks, trials, alpha, flipRate: assumedFlipRate, baseline: score ?? assumedScore };
  return { claim: { ...claim, seed: settings.seed }, read };
}

/** A sentence on what the sealed test of a training can and can't show. */
export async function sayProvable(resolved: Resolved, journal: Journal | undefined): Promise<string> {
  const { settings, splits } = resolved;
  if (splits.test.length === 0) return isShared(splits) ? onTheseAlone : noTestSentence;
  if (!settings.evalTest) return notReadSentence;
  const { claim, read } = await planNextRead(resolved, await knownScore(resolved, journal), journal);
  const { limits } = planSealed(splits.test, settings, claim.alpha);
  const none = { detectable: null, detectableOnSome: null };
  const found = limits.possible ? planDetectable(claim) : none;
  return provableSentence({ ...claim, limits, ...found, read, text: "A new text" });
}
