import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { planClaim } from "../../core/gate/claim/plan-claim.ts";
import { firstBar } from "../../core/gate/claim/account.ts";
import type { Role } from "../../core/ports/model.ts";
import { type Noise, rollAgainstItself } from "../../core/measure/measure-noise.ts";
import { percent } from "../../core/measure/percent.ts";
import type { NoiseFigures } from "../../report/noise-figures.ts";
import { type PricedCost, trialFiles } from "../reports/artifacts.ts";

import type { CallOptions } from "../session/open-run.ts";
import { runId } from "../session/run-id.ts";
import { onlyMeasured } from "./only-measured.ts";
import { performCall } from "./perform.ts";
import type { Performed, Verb } from "./verb.ts";

export interface NoiseOptions extends CallOptions {
  /** Also measures how much neutral rewordings of the tasks move the score. @default false */
  readonly variants?: boolean;
}

export interface NoiseSummary extends NoiseFigures {
  readonly run: string;
  /** What was found, in one sentence. */
  readonly sentence: string;
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export type NoiseRun = Performed<Noise, NoiseSummary>;

/**
 * Measures how much a skill's scores on val differ by chance alone. The same call again resumes, or gives the finished result.
 *
 * @example
 * const { summary } = await measureNoise({ skill: "./SKILL.md", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 * console.log(summary.flipRate, summary.sentence);
 */
export const measureNoise = ({ variants = false, ...options }: NoiseOptions): Promise<NoiseRun> =>
  performCall(options, ["target"], ({ resolved }) => noiseVerb(resolved, variants));

/** A skill against itself on val. */
export function noiseVerb(given: Resolved, variants = false): Verb<Noise, NoiseSummary> {
  const { val } = given.splits;
  const resolved = onlyMeasured(given, [{ split: "val", tasks: val }]);
  const { skill, settings } = resolved;
  const { trials, seed } = settings;
  return {
    command: "noise",
    roles: ["target"],
    resolved,
    id: runId("noise", resolved, variants ? { variants } : {}),
    async run(context) {
      const noise = await rollAgainstItself({ skill, split: "val", tasks: val, trials, variants }, context);
      if (noise.claim.rollouts > 0) return noise;
      throw new WhetstoneError("too-many-pending", "No result came, so nothing is known about the noise.", {
        hint: "Start the same command again once the provider answers.",
      });
    },
    tell(noise, { run, cost }) {
      const { flips, claim, score } = noise;
      const alpha = firstBar(settings.sealedAlpha);
      const sentence = `Two trials of one task differ in ${percent(flips.rate)} of cases.`;
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
        p: claim.p,
        pWorse: claim.pWorse,
        claim: planClaim({ tasks: val.length, trials, alpha, flipRate: flips.rate, baseline: score, seed }),
        cost,
      };
      const artifacts = { ...trialFiles("noise_a", noise.a), ...trialFiles("noise_b", noise.b) };
      return { sentence, summary, artifacts };
    },
  };
}
