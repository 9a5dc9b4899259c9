import { longTest } from "../../../test/support/long-test.ts";
import { type Rate, rateOf } from "../../../test/support/pr-rates.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";

const claim =
  "On pull requests, better, worse and noise-only changes of a skill are identified as often as `plan` says, within three standard errors.";

longTest(claim, rates, ["--seeds", "15"]);

/** Options: `--seeds n`, `--seed n`. */
async function rates({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const runs = numberOption(args, "seeds", short ? 40 : 200);
  log(`${runs} simulated pull requests of each kind, 30 tasks and 2 trials each, ±20 points; seed ${seed}`);
  const found: Rate[] = [];
  for (const change of ["better", "worse", "noise"] as const) found.push(await rateOf(change, runs, seed));
  for (const { change, better, worse, planned } of found)
    log(
      `${change.padEnd(8)} better ${percent(better / runs)}, worse ${percent(worse / runs)}; plan says ${percent(planned)}${change === "noise" ? " of each" : ""}`,
    );
  log("left out: real models, drift (a proof of its own), tasks that are few, grouped, easy or weighted");
  const problems = found.flatMap(missed);
  for (const problem of problems) log(`SHORT: ${problem}`);
  return { ok: problems.length === 0, figures: { seed, runs, rates: found.map((rate) => ({ ...rate })) } };
}

/** Draws of `plan` behind one figure. */
const plannedDraws = 200;

function missed({ change, runs, better, worse, planned }: Rate): readonly string[] {
  const room = 3 * Math.sqrt(Math.max(planned * (1 - planned), 0.01) * (1 / runs + 1 / plannedDraws));
  const fitting = { better: [better], worse: [worse], noise: [better, worse] }[change];
  const opposite = { better: worse, worse: better, noise: 0 }[change];
  return [
    ...fitting
      .filter((hits) => Math.abs(hits / runs - planned) > room)
      .map((hits) => `${change}: called so in ${percent(hits / runs)}, and plan says ${percent(planned)}`),
    ...(opposite / runs > 0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs)
      ? [`${change}: called the opposite in ${percent(opposite / runs)}`]
      : []),
  ];
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
