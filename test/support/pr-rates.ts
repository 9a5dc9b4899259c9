import { planClaim } from "../../src/core/gate/claim/plan-claim.ts";
import { power } from "../../src/core/gate/claim/power.ts";
import { firstBar } from "../../src/core/gate/claim/account.ts";
import { drawOdds, oddsShift, passRate, taskModel } from "../../src/core/gate/claim/task-model.ts";
import { compareSkills } from "../../src/core/measure/compare-skills.ts";
import type { ModelRequest } from "../../src/core/ports/model.ts";
import { seededRandom } from "../../src/core/random.ts";
import { singleFileSkill } from "../../src/core/skill/skill.ts";
import { scriptedContext } from "./scripted-context.ts";

/** A change of this size, on tasks like those that `plan` assumes where nothing is measured. */
const world = { tasks: 30, trials: 2, effect: 0.2, baseline: 0.5, flipRate: 0.3 };
const [poor, good, alike] = ["Answer.", "Answer. Think.", "Answer, please."].map((text) =>
  singleFileSkill(text),
);

export type Change = "better" | "worse" | "noise";

export interface Rate {
  readonly change: Change;
  readonly runs: number;
  readonly better: number;
  readonly worse: number;
  /** What `plan` says of the word that fits the change; of noise, of each of the two. */
  readonly planned: number;
}

/** How often each change of a skill is called better and worse, over pull requests with tasks of their own. */
export async function rateOf(change: Change, runs: number, seed: number): Promise<Rate> {
  const count = { better: 0, worse: 0 };
  for (let run = 0; run < runs; run += 1) {
    const verdict = await compareOnce(change, 1_000_003 * seed + run);
    if (verdict === "better" || verdict === "worse") count[verdict] += 1;
  }
  return { change, runs, ...count, planned: planned(change, seed) };
}

function planned(change: Change, seed: number): number {
  const { effect, ...size } = world;
  const alpha = firstBar(0.05);
  if (change === "noise") return power({ ...size, alpha, effect: 0, seed, word: "better" });
  // a worse change is a better one read the other way round
  const { proof } = planClaim({ ...size, alpha, seed });
  return proof.find((one) => one.effect === effect)?.power ?? Number.NaN;
}

async function compareOnce(change: Change, seed: number): Promise<string> {
  const model = taskModel(world);
  const shift = oddsShift(model, world.effect);
  const random = seededRandom("pull-request", change, seed);
  const odds = new Map(
    Array.from({ length: world.tasks }, (_, at) => [`task ${at}`, drawOdds(model, random)]),
  );
  const answer = ({ system, messages }: ModelRequest) => {
    const own = odds.get(/task \d+/.exec(messages[0]?.content ?? "")?.[0] ?? "") ?? 0;
    return random() < passRate(own + (system?.includes("Think.") === true ? shift : 0)) ? "yes" : "no";
  };
  const context = await scriptedContext(answer, { seed, claimTrials: world.trials });
  const [before, after] =
    change === "better" ? [poor, good] : change === "worse" ? [good, poor] : [poor, alike];
  if (before === undefined || after === undefined) throw new Error("two skills are compared");
  const tasks = Array.from(odds.keys(), (input, at) => ({ id: `t${at}`, input, answers: ["yes"] }));
  const { claim } = await compareSkills(
    { before, after, parts: [{ split: "test", tasks }], trials: world.trials },
    context,
  );
  return claim.verdict;
}
