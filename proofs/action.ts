import { type Rate, rateOf } from "./action/rates.ts";
import { pullRequests } from "./action/pull-requests.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "on pull requests a better, a worse and a noise-only change are called so as often as `plan` says; the action's own steps keep one comment over three pushes, cost nothing where nothing changed, and say in a fork without a key what they can";

/** Options: `--seeds n`, `--seed n`. */
export default async function proveAction({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const runs = numberOption(args, "seeds", short ? 40 : 200);
  log(`${runs} simulated pull requests of each kind, 30 tasks and 2 trials each, ±20 points; seed ${seed}`);
  const rates: Rate[] = [];
  for (const change of ["better", "worse", "noise"] as const) rates.push(await rateOf(change, runs, seed));
  const problems = rates.flatMap(missed);
  for (const { change, better, worse, planned } of rates)
    log(
      `${change.padEnd(8)} better ${percent(better / runs)}, worse ${percent(worse / runs)}; plan says ${percent(planned)}${change === "noise" ? " of each" : ""}`,
    );
  log("");
  log(
    "the steps of action.yml in bash, in shallow clones; a repository, GitHub's API and the model on loopback",
  );
  const told = await pullRequests(log);
  problems.push(...told.problems);
  for (const problem of problems) log(`NOT: ${problem}`);
  log("");
  log("left out: GitHub itself (caches are folders, setup-node is this Node), real models, real forks,");
  log("pull requests whose tasks are few, grouped or easy; drift has a proof of its own");
  return {
    ok: problems.length === 0,
    figures: { seed, runs, rates: rates.map((rate) => ({ ...rate })), ...told.figures },
  };
}

/** Draws of `plan` behind one figure. */
const plannedDraws = 200;

function missed({ change, runs, better, worse, planned }: Rate): readonly string[] {
  const room = 3 * Math.sqrt(Math.max(planned * (1 - planned), 0.01) * (1 / runs + 1 / plannedDraws));
  const isNear = (hits: number, rate: number) => Math.abs(hits / runs - rate) <= room;
  const counts = change === "noise" ? [better, worse] : [change === "better" ? better : worse];
  const opposite = change === "better" ? worse : change === "worse" ? better : 0;
  return [
    ...counts
      .filter((hits) => !isNear(hits, planned))
      .map((hits) => `${change}: called so in ${percent(hits / runs)}, and plan says ${percent(planned)}`),
    ...(opposite / runs > 0.05 + 3 * Math.sqrt(0.05 / runs)
      ? [`${change}: called the opposite in ${percent(opposite / runs)}`]
      : []),
  ];
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
