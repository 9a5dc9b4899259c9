import { journalPlace } from "../../adapters/journals/open-journal.ts";
import { scoreAside } from "../../adapters/scoring/scoring-threads.ts";
import { readEnv } from "../../config/env.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import type { Config } from "../../config/schema.ts";
import type { ModelHosts } from "../../core/describe-models.ts";
import { assumedFlipRate } from "../../core/gate/claim/claim-trials.ts";
import { fewestTasks } from "../../core/gate/claim/claim-p.ts";
import type { PlannedRole } from "../../core/plan/count-calls.ts";
import { type PlannedClaim, planClaim, planDetectable } from "../../core/plan/plan-claim.ts";
import type { SpendCaps } from "../../core/settings.ts";
import { shortIdentity } from "../../core/skill/hash.ts";
import type { Tried } from "../../core/scorers/try-degenerate.ts";
import { unitsOf } from "../../core/tasks/clusters.ts";
import { type RunPlan, planRun, sealedPlan } from "./plan.ts";
import { readMeasuredNoise } from "../session/measured-noise.ts";
import { openIfThere, readSidesAt } from "../session/open-if-there.ts";
import { skillSizeOf } from "../session/start-event.ts";
import { tryChecks } from "../session/try-checks-first.ts";

export interface TrainingPlan extends RunPlan {
  /** What the skill is and where it goes: "SKILL.md and 2 files, 3,330 characters in every prompt". */
  readonly skill: string;
  readonly models: Readonly<Record<PlannedRole, string>>;
  /** Of models that are not at their vendor's own, by `provider/model`. */
  readonly hosts?: ModelHosts;
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number };
  readonly spend: SpendCaps;
  /** Models for which a subscription pays: they cost calls and tokens, no money. */
  readonly logins: readonly string[];
  readonly guesses: readonly string[];
  /** What the sealed test can find on its next read, and which read that is; missing without a test split. */
  readonly sealed?: PlannedClaim & {
    readonly read: number;
    /** Test tasks: more than `tasks`, where some are groups that count once. */
    readonly of: number;
  };
  /** The smallest gain that a claim on val would find with 80 % power. */
  readonly val: number | null;
  /** What degenerate answers pass, and checks that are slow on them. Graders and functions are not run for this. */
  readonly checks: Tried;
  /** Whether `whetstone noise` has measured this skill and target; otherwise a flip rate of 30 % is assumed. */
  readonly noiseMeasured: boolean;
}

const assumedNoise = { flipRate: assumedFlipRate, score: 0.5 };

/** Everything that can be said about a training run before money is spent. No call is made, and nothing is written. */
export async function planTraining(config: Config, { cwd }: { readonly cwd: string }): Promise<TrainingPlan> {
  const seen = await readSidesAt(journalPlace(config.journal, cwd));
  const resolved = await resolveConfig(config, { cwd, env: readEnv(), withoutCalls: true, seen });
  const { settings, splits, models, skill, guesses, spend, logins = [] } = resolved;
  const journal = await openIfThere(resolved);
  try {
    const noise =
      journal === undefined
        ? undefined
        : await readMeasuredNoise(journal, shortIdentity(skill), models.target);
    const { flipRate, score } = noise ?? assumedNoise;
    const { seed } = settings;
    const [val, test] = [splits.val.length, splits.test.length];
    const shared = { flipRate, baseline: score, seed };
    const isSealed = settings.evalTest && test > 0;
    const planNextRead = async () => {
      const { trials, alpha, read } = await sealedPlan(resolved, journal);
      const tasks = new Set(unitsOf(splits.test)).size;
      // the trials of a handful of tasks differ in their wording
      const varied = tasks < fewestTasks && noise?.variants !== undefined ? { flipRate: noise.variants } : {};
      return { ...planClaim({ tasks, trials, alpha, ...shared, ...varied }), read, of: test };
    };
    return {
      ...(await planRun(resolved, journal)),
      skill: skillSizeOf(resolved),
      models: { target: models.target, optimizer: models.optimizer, judge: models.judge },
      ...(resolved.hosts === undefined ? {} : { hosts: resolved.hosts }),
      logins,
      tasks: { train: splits.train.length, val, test },
      spend,
      guesses,
      ...(isSealed ? { sealed: await planNextRead() } : {}),
      val: planDetectable({ tasks: val, trials: settings.trials, alpha: settings.sealedAlpha, ...shared }),
      checks: await tryChecks(Object.values(splits).flat(), resolved, { aside: scoreAside }),
      noiseMeasured: noise !== undefined,
    };
  } finally {
    await journal?.close();
  }
}
