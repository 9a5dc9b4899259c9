import { type Demo, type DemoOptions, createDemo, demoSettings } from "../src/run/demo-world.ts";
import { type Trained, train } from "../src/run/train.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

export const claim =
  "the demo's true held-out score rises from below 0.5 to above 0.85, and a proposer of harmful edits changes nothing";

const floor = 0.5;
const goal = 0.85;
const harmful = { useful: 0, useless: 0, harmful: 1 } as const;
/** A skill that has something to lose: against one that knows little, harm is too small to measure. */
const rulesAtStake = 6;

export default async function demo({ args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = Array.from({ length: numberOption(args, "seeds", 20) }, (_, index) => index + 1);
  const { rules, rulesHeld, passWith, passWithout, noise, proposals, sizes, epochs, batchSize } =
    demoSettings;
  log(
    `world: ${rules} rules, the skill knows ${rulesHeld}; a task passes with chance ${passWith} when its rule`,
  );
  log(
    `is known and ${passWithout} otherwise; noise: ${100 * noise} % of replies are thrown afresh for each call`,
  );
  log(`${sizes.train}/${sizes.val}/${sizes.test} tasks, ${epochs} epochs, batch ${batchSize}, strict gate`);
  log(`proposals: ${JSON.stringify(proposals)}; real HTTP, sqlite journal`);
  log("");
  log("seed   true before → after   measured before → after   steps");
  const risen: Held[] = [];
  for (const seed of seeds) {
    const held = await runDemo({ seed });
    risen.push(held);
    log(
      `${String(seed).padStart(4)}         ${show(held.before)} → ${show(held.after)}             ${show(held.testBefore)} → ${show(held.testAfter)}   ${held.actions}`,
    );
  }
  const failed = risen.filter(({ before, after }) => !(before < floor && after > goal));
  const means = {
    before: mean(risen.map(({ before }) => before)),
    after: mean(risen.map(({ after }) => after)),
    testBefore: mean(risen.map(({ testBefore }) => testBefore)),
    testAfter: mean(risen.map(({ testAfter }) => testAfter)),
  };
  log(
    `mean         ${show(means.before)} → ${show(means.after)}             ${show(means.testBefore)} → ${show(means.testAfter)}`,
  );
  log("");

  log(
    `harmful edits only (two topics misled by each), the skill knows ${rulesAtStake} of ${rules}, same noise`,
  );
  const changed: number[] = [];
  let rejected = 0;
  for (const seed of seeds) {
    const { kept, actions } = await runDemo({ seed, proposals: harmful, rulesHeld: rulesAtStake });
    rejected += actions.split(" ").filter((action) => action === "reject").length;
    if (!kept) changed.push(seed);
  }
  log(`${seeds.length - changed.length} of ${seeds.length} seeds end at the original skill, byte for byte`);
  log(`${rejected} harmful candidates were rejected, ${changed.length} seeds took one`);
  if (failed.length > 0) log(`fell short: seeds ${failed.map(({ seed }) => seed).join(", ")}`);
  if (changed.length > 0) log(`fooled: seeds ${changed.join(", ")}`);

  return {
    ok: failed.length === 0 && changed.length === 0,
    figures: {
      seeds: seeds.length,
      noise,
      trueBefore: round(means.before),
      trueBeforeMax: round(Math.max(...risen.map(({ before }) => before))),
      trueAfter: round(means.after),
      trueAfterMin: round(Math.min(...risen.map(({ after }) => after))),
      measuredBefore: round(means.testBefore),
      measuredAfter: round(means.testAfter),
      fellShort: failed.map(({ seed }) => seed),
      harmfulRejected: rejected,
      harmfulFooled: changed,
    },
  };
}

interface Held {
  readonly seed: number;
  /** The exact expected score on the test tasks. */
  readonly before: number;
  readonly after: number;
  /** As the run measured it, one trial per task. */
  readonly testBefore: number;
  readonly testAfter: number;
  readonly actions: string;
  readonly kept: boolean;
}

async function runDemo(options: DemoOptions): Promise<Held> {
  const { seed } = options;
  const demo = createDemo(options);
  using folder = temporaryDirectory("demo");
  await using server = await startScriptedServer({ seed, world: demo.world, record: false });
  const run = await train({ ...demo.config(server.url), journal: folder.path });
  return measure(seed, demo, run);
}

function measure(seed: number, { world, skill, splits }: Demo, { best, result, summary }: Trained): Held {
  return {
    seed,
    before: world.trueScore(skill, splits.test),
    after: world.trueScore(best.text, splits.test),
    testBefore: summary.test?.original ?? Number.NaN,
    testAfter: summary.test?.best ?? Number.NaN,
    actions: result.steps.map(({ action }) => action.replace("accept_new_best", "accept")).join(" "),
    kept: best.text === skill,
  };
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const round = (value: number): number => Math.round(value * 1000) / 1000;
const show = (value: number): string => value.toFixed(3);
