import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type PlannedClaim, planClaim } from "../../core/gate/claim/plan-claim.ts";
import { spendAlpha } from "../../core/gate/claim/spend-alpha.ts";
import type { Role } from "../../core/ports/model.ts";
import { rollAgainstItself } from "../../core/measure/measure-noise.ts";
import { percent } from "../../core/measure/percent.ts";
import { type PricedCost, priceCosts, trialFiles } from "../reports/artifacts.ts";
import { type MeasuringRun, measuringRun } from "./measuring-run.ts";
import type { RunOptions } from "../session/run-in-session.ts";

export interface NoiseSummary {
  readonly run: string;
  /** What was found, in one sentence. */
  readonly sentence: string;
  readonly tasks: number;
  /** Per task and arm. */
  readonly trials: number;
  /** Results that are missing. */
  readonly pending: number;
  /** The skill's mean score over all trials. */
  readonly score: number;
  /** How often two trials of one task differ. */
  readonly flipRate: number;
  /** How often two neutral rewordings of one task differ, where they were tried. */
  readonly variants?: number;
  /** The share of tasks on which any two trials differed. */
  readonly unsteady: number;
  /** How often a strictly greater mean would accept the skill as better than itself, and by how much. */
  readonly strict: { readonly accepted: number; readonly gain: number };
  /** p of "the skill is better than itself" and of "worse", by the exact test. */
  readonly p: number;
  readonly pWorse: number;
  /** What a claim on these tasks could find with this noise. */
  readonly claim: PlannedClaim;
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export type NoiseRun = MeasuringRun<NoiseSummary>;

/** Measures, or goes on measuring, a skill against itself on val. */
export async function noiseRun(
  resolved: Resolved,
  { variants = false, ...options }: RunOptions & { readonly variants?: boolean },
): Promise<NoiseRun> {
  const { val } = resolved.splits;
  const { trials, seed } = resolved.settings;
  const alpha = spendAlpha(resolved.settings.sealedAlpha, 1);
  const parts = [{ split: "val", tasks: val }] as const;
  const plan = { command: "noise", given: resolved, parts, more: variants ? { variants } : {} } as const;
  return measuringRun(plan, options, async (session, run) => {
    const { context } = session;
    const input = { skill: resolved.skill, split: "val", tasks: val, trials, variants } as const;
    const noise = await rollAgainstItself(input, context);
    const { flips, luck, claim, score } = noise;
    if (claim.rollouts === 0) {
      throw new WhetstoneError("too-many-pending", "No result came, so nothing is known about the noise.", {
        hint: "Start the same command again once the provider answers.",
      });
    }
    const sentence = `Two trials of one task differ in ${percent(flips.rate)} of cases; a strict gate would take the skill for better than itself ${Math.round(100 * luck.accepted)} times in 100.`;
    const summary: NoiseSummary = {
      run,
      sentence,
      tasks: val.length,
      trials,
      pending: claim.missing,
      score,
      flipRate: flips.rate,
      unsteady: flips.unsteady,
      variants: noise.variants?.rate,
      strict: luck,
      p: claim.p,
      pWorse: claim.pWorse,
      claim: planClaim({ tasks: val.length, trials, alpha, flipRate: flips.rate, baseline: score, seed }),
      cost: priceCosts(session.costByRole()),
    };
    return {
      summary,
      sentence,
      artifacts: { ...trialFiles("noise_a", noise.a), ...trialFiles("noise_b", noise.b) },
    };
  });
}
