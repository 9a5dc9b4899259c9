import { type JournalPlace, openJournal } from "../adapters/journals/open-journal.ts";
import { scoreAside } from "../adapters/scoring/scoring-threads.ts";
import { readEnv } from "../config/env.ts";
import { resolveConfig } from "../config/resolve.ts";
import type { Resolved } from "../config/resolved.ts";
import type { Config } from "../config/schema.ts";
import { WhetstoneError } from "../core/errors.ts";
import { sealedAlpha } from "../core/gate/sealed-alpha.ts";
import type { PlannedRole } from "../core/plan/count-calls.ts";
import { type PlannedClaim, planClaim, planDetectable } from "../core/plan/plan-claim.ts";
import type { Journal } from "../core/ports/journal.ts";
import { shortIdentity } from "../core/skill/hash.ts";
import type { Tried } from "../core/scorers/try-degenerate.ts";
import { sealedTrials } from "../core/stages/seal.ts";
import { type RunPlan, planRun } from "./plan.ts";
import { readMeasuredNoise } from "./measured-noise.ts";
import { tryChecks } from "./try-checks-first.ts";

export interface TrainingPlan extends RunPlan {
  readonly models: Readonly<Record<PlannedRole, string>>;
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number };
  readonly spend: Resolved["spend"];
  /** Models for which a subscription pays: they cost calls and tokens, no money. */
  readonly logins: readonly string[];
  readonly guesses: readonly string[];
  /** What the sealed test can find on its first read; missing without a test split. */
  readonly sealed?: PlannedClaim;
  /** The smallest gain that a claim on val would find with 80 % power. */
  readonly val: number | null;
  /** What degenerate answers pass, and checks that are slow on them. Graders and functions are not run for this. */
  readonly checks: Tried;
  /** Whether `whetstone noise` has measured this skill and target; otherwise a flip rate of 20 % is assumed. */
  readonly noiseMeasured: boolean;
}

export interface PlanOptions {
  readonly cwd: string;
}

const assumedNoise = { flipRate: 0.2, score: 0.5 };

/** Everything that can be said about a training run before money is spent. No call is made, and nothing is written. */
export async function planTraining(config: Config, { cwd }: PlanOptions): Promise<TrainingPlan> {
  const resolved = await resolveConfig(config, { cwd, env: readEnv(), withoutCalls: true });
  const { settings, splits, models, skill, guesses, spend, logins = [] } = resolved;
  const journal = await openIfThere(resolved);
  try {
    const noise =
      journal === undefined
        ? undefined
        : await readMeasuredNoise(journal, shortIdentity(skill), models.target);
    const { flipRate, score } = noise ?? assumedNoise;
    const { seed } = settings;
    const alpha = sealedAlpha(settings.sealedAlpha, 1);
    const [val, test] = [splits.val.length, splits.test.length];
    const shared = { flipRate, baseline: score, seed };
    const isSealed = settings.evalTest && test > 0;
    return {
      ...(await planRun(resolved, journal)),
      models: { target: models.target, optimizer: models.optimizer, judge: models.judge },
      logins,
      tasks: { train: splits.train.length, val, test },
      spend,
      guesses,
      ...(isSealed
        ? { sealed: planClaim({ tasks: test, trials: sealedTrials(test, settings), alpha, ...shared }) }
        : {}),
      val: planDetectable({ tasks: val, trials: settings.trials, alpha: settings.sealedAlpha, ...shared }),
      checks: await tryChecks(Object.values(splits).flat(), resolved, { aside: scoreAside }),
      noiseMeasured: noise !== undefined,
    };
  } finally {
    await journal?.close();
  }
}

async function openIfThere(place: JournalPlace): Promise<Journal | undefined> {
  try {
    return await openJournal(place, { readOnly: true });
  } catch (error) {
    if (error instanceof WhetstoneError && error.code === "not-found") return undefined;
    throw error;
  }
}
