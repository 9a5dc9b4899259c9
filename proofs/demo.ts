import { type Config, type Trained, train } from "../src/index.ts";
import { type Demo, type DemoOptions, createDemo, demoSettings } from "../src/run/demo-world.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { type AddedLines, countLines } from "../test/support/count-lines.ts";
import { fallsShort } from "../test/support/rate-bar.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { readDemo, stalePictures } from "./pictures/demo-texts.ts";
import { staleParts } from "./pictures/readme-parts.ts";
import { builtPage } from "./ui/built-page.ts";

export const claim =
  "The demo's true held-out score rises from below 0.5 to above 0.9, with few useless rules and none twice. README shows what the demo and `plan` print today. Under the strict gate, a proposer of harmful edits changes nothing.";

const floor = 0.5;
const goal = 0.9;
/** Useless and harmful rules of a trained text, on average over seeds. */
const [mostUseless, mostHarmful] = [5, 1];
/** Seeds whose text repeats something. */
const mostDoubled = 0.1;
const harmful = { useful: 0, useless: 0, harmful: 1 } as const;
/** The paper's loop: six stages and a strict gate, one trial per test task. */
const strictly: Config = { gate: "strict", slowUpdate: false, metaSkill: false, baselines: false, trials: 1 };
/** A skill that has something to lose: against one that knows little, harm is too small to measure. */
const rulesAtStake = 6;

export default async function demo({ args, short, log }: ProofOptions): Promise<ProofResult> {
  const count = numberOption(args, "seeds", short ? 2 : 20);
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  const { rules, rulesHeld, passWith, passWithout, noise, proposals, sizes, epochs, batchSize } =
    demoSettings;
  log(
    `world: ${rules} rules, the skill knows ${rulesHeld}; a task passes with probability ${passWith} if its rule`,
  );
  log(`is known and ${passWithout} otherwise; noise: ${100 * noise}% of replies are redrawn for each call`);
  log(
    `${sizes.train}/${sizes.val}/${sizes.test} tasks, ${epochs} epochs, batch ${batchSize}, otherwise the defaults`,
  );
  log(`proposals: ${JSON.stringify(proposals)}; real HTTP, sqlite journal`);
  log("");
  log(
    "seed   true before → after   measured before → after   rules: useful/useless/harmful, doubled   seconds",
  );
  const risen: Held[] = [];
  const stale: string[] = [];
  await builtPage(log);
  for (const seed of seeds) {
    const held = await runDemo({ seed }, {}, async (folder) => {
      // the seed of `whetstone demo`
      if (seed === 1) stale.push(...(await findStale(folder, short)));
    });
    risen.push(held);
    log(
      `${String(seed).padStart(4)}         ${show(held.before)} → ${show(held.after)}             ${show(held.testBefore)} → ${show(held.testAfter)}   ${held.lines.useful}/${held.lines.useless}/${held.lines.harmful}, ${held.lines.doubled}   ${held.seconds.toFixed(1)}`,
    );
  }
  for (const name of stale) log(`STALE: ${name} of README; run npm run pictures to update it`);
  log("");
  log(`the text of seed ${risen[0]?.seed}:`);
  for (const line of risen[0]?.text.trimEnd().split("\n") ?? []) log(`  ${line}`);
  log("");
  const failed = risen.filter(({ before, after }) => !(before < floor && after > goal));
  const lines = {
    useful: mean(risen.map((held) => held.lines.useful)),
    useless: mean(risen.map((held) => held.lines.useless)),
    harmful: mean(risen.map((held) => held.lines.harmful)),
    doubledIn: risen.filter((held) => held.lines.doubled > 0).length,
  };
  const isAbove = (most: number, of: (held: Held) => number) => {
    const counts = risen.map(of);
    return mean(counts) > most + 3 * standardError(counts);
  };
  const isLean = !(
    isAbove(mostUseless, (held) => held.lines.useless) ||
    isAbove(mostHarmful, (held) => held.lines.harmful) ||
    fallsShort({ hits: lines.doubledIn, trials: risen.length }, { most: mostDoubled }, 1)
  );
  const slow = risen.filter(({ seconds }) => seconds > 30).length;
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
    `only harmful edits, each misleading about two topics; the skill knows ${rulesAtStake} of ${rules}, same noise`,
  );
  const strict = await runHarmful(seeds, strictly);
  const defaults = await runHarmful(seeds, {});
  const ends = ({ changed }: Harmed) =>
    `${seeds.length - changed.length} of ${seeds.length} seeds end at the original`;
  log(`strict gate: ${ends(strict)}, byte for byte; ${strict.rejected} candidates rejected`);
  log(
    `default settings, measured but not claimed: ${ends(defaults)}; ${defaults.rejected} candidates rejected`,
  );
  if (failed.length > 0) log(`fell short: seeds ${failed.map(({ seed }) => seed).join(", ")}`);
  for (const [name, { changed }] of Object.entries({ strict, defaults })) {
    if (changed.length > 0) log(`fooled (${name}): seeds ${changed.join(", ")}`);
  }

  const holds = failed.length === 0 && strict.changed.length === 0 && isLean && stale.length === 0;
  return {
    ok: holds && slow === 0,
    onlyLate: holds,
    figures: {
      useful: round(lines.useful),
      useless: round(lines.useless),
      harmful: round(lines.harmful),
      seedsWithDoubled: lines.doubledIn,
      slowest: Math.round(Math.max(...risen.map(({ seconds }) => seconds))),
      seeds: seeds.length,
      noise,
      trueBefore: round(means.before),
      trueBeforeMax: round(Math.max(...risen.map(({ before }) => before))),
      trueAfter: round(means.after),
      trueAfterMin: round(Math.min(...risen.map(({ after }) => after))),
      measuredBefore: round(means.testBefore),
      measuredAfter: round(means.testAfter),
      fellShort: failed.map(({ seed }) => seed),
      harmfulRejected: strict.rejected,
      harmfulFooled: strict.changed,
      harmfulFooledByDefaults: defaults.changed,
      stale,
    },
  };
}

interface Harmed {
  /** Seeds that did not end at the original skill. */
  readonly changed: readonly number[];
  readonly rejected: number;
}

async function runHarmful(seeds: readonly number[], settings: Config): Promise<Harmed> {
  const changed: number[] = [];
  let rejected = 0;
  for (const seed of seeds) {
    const { kept, actions } = await runDemo({ seed, proposals: harmful, rulesHeld: rulesAtStake }, settings);
    rejected += actions.split(" ").filter((action) => action === "reject").length;
    if (!kept) changed.push(seed);
  }
  return { changed, rejected };
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
  readonly text: string;
  readonly lines: AddedLines;
  readonly seconds: number;
}

/** Pictures and parts of README that differ from this run or from `plan`. */
async function findStale(folder: string, short: boolean): Promise<readonly string[]> {
  const texts = await readDemo(folder, folder);
  return [...stalePictures(texts), ...(await staleParts(texts.demo, short ? "quick" : "all"))];
}

async function runDemo(
  options: DemoOptions,
  settings: Config = {},
  look?: (folder: string) => Promise<void>,
): Promise<Held> {
  const { seed } = options;
  const demo = createDemo(options);
  using folder = temporaryDirectory("demo");
  await using server = await startScriptedServer({ seed, world: demo.world, record: false });
  const began = performance.now();
  const run = await train({ ...demo.config(server.url), ...settings, journal: folder.path });
  const seconds = (performance.now() - began) / 1000;
  await look?.(folder.path);
  return { ...measure(seed, demo, run), seconds };
}

function measure(
  seed: number,
  { world, skill, splits }: Demo,
  { best, steps, summary }: Trained,
): Omit<Held, "seconds"> {
  return {
    seed,
    before: world.trueScore(skill, splits.test),
    after: world.trueScore(best.text, splits.test),
    testBefore: summary.test?.original ?? Number.NaN,
    testAfter: summary.test?.best ?? Number.NaN,
    actions: steps.map(({ action }) => action.replace("accept_new_best", "accept")).join(" "),
    kept: best.text === skill,
    text: best.text,
    lines: countLines(world, skill, best.text),
  };
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

const standardError = (values: readonly number[]): number =>
  Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)) / Math.max(values.length - 1, 1));
const round = (value: number): number => Math.round(value * 1000) / 1000;
const show = (value: number): string => value.toFixed(3);
