import { type MeasuredRule, train } from "../src/index.ts";
import { singleFileSkill } from "../src/method.ts";
import { type HiddenRuleWorld, hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { alignedTable } from "../test/support/aligned-table.ts";
import { scriptedModels, scriptedPrices } from "../test/support/scripted-config.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "A training's statements about its rules are true from end to end: chances, 95% intervals and the promised gain. Without a useful rule, nothing is offered.";

const sizes = [10, 30, 100] as const;

/** The office: each call random or mostly decided by its task, a low or a high base, and no useful proposal at all. */
const worlds = {
  dice: { noise: 1 },
  steady: { noise: 0.1 },
  "high base": { noise: 0.3, passWithout: 0.7 },
  "mostly harm": { noise: 0.5, useful: 0.15, useless: 0.35, harmful: 0.5 },
  nothing: { noise: 0.5, useful: 0, useless: 0.7, harmful: 0.3 },
} as const;

export default async function table({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 1 : 100);
  const first = numberOption(args, "seed", 60_001);
  log(`${Object.keys(worlds).length} offices, ${seeds} seeds of each from ${first} (--seed, --seeds)`);
  log("the public `train` with its own settings, real HTTP; a text's worth is computed, not measured");
  log(
    "a rule's true worth is what it adds to the offered text: a misleading rule takes more from a text that knows more",
  );
  log(
    "not covered: rules by a real model, tasks with several checks, rules of one kind that depend on another",
  );
  const figures: SizeFigures[] = [];
  for (const size of short ? sizes.slice(0, 1) : sizes) {
    const runs: Stated[] = [];
    for (const name of Object.keys(worlds))
      for (let seed = first; seed < first + seeds; seed += 1) runs.push(await runOffice(name, seed, size));
    figures.push(figuresOf(size, runs));
  }
  for (const line of tableOf(figures)) log(line);
  const shortfalls = figures.flatMap(shortfallsOf);
  for (const one of shortfalls) log(`${short ? "short form, no bar: " : "SHORT: "}${one}`);
  // of a few runs only what none of them may do
  const isSane = figures.every(
    ({ below, most, idleOffers }) => below < 0.5 && idleOffers < 1 && Math.abs(most) < 40,
  );
  return { ok: short ? isSane : shortfalls.length === 0, figures: { first, seeds, figures, shortfalls } };
}

interface Stated {
  readonly world: string;
  readonly offers: boolean;
  readonly promise: number;
  readonly gain: number;
  readonly rules: readonly (MeasuredRule & { readonly truth: number })[];
}

async function runOffice(name: string, seed: number, size: number): Promise<Stated> {
  const world = hiddenRuleWorld({ seed, rules: 6, passWithout: 0.2, ...worlds[name as keyof typeof worlds] });
  using folder = temporaryDirectory("table");
  await using server = await startScriptedServer({ seed, world, record: false });
  const original = world.seedSkill(1);
  const { best, summary } = await train({
    ...scriptedModels,
    baseURL: `${server.url}/v1`,
    prices: scriptedPrices,
    skill: singleFileSkill(original),
    tasks: world.splits({ train: size, val: size, test: 1 }),
    // the promise is of val: nothing is read on test
    evalTest: false,
    baselines: false,
    seed,
    spend: { usd: 1000 },
    cwd: folder.path,
  });
  const { val, rules } = summary;
  const worth = (text: string) => 100 * world.trueScore(text, fresh(world));
  return {
    world: name,
    offers: best.text !== original,
    promise: 100 * ((val.best ?? 0) - (val.baseline ?? 0)),
    gain: worth(best.text) - worth(original),
    rules: (rules?.rules ?? []).flatMap((rule) => {
      // of rules that add a line, the text without it is known; one that was said before isn't measured
      if ((rule.op !== "append" && rule.op !== "insert_after") || rule.state === "repeated") return [];
      const without = best.text.replace(rule.text, "");
      return [{ ...rule, truth: worth(`${without}\n${rule.text}\n`) - worth(without) }];
    }),
  };
}

const fresh = (world: HiddenRuleWorld) => world.tasks(600, { start: 10_000 });

type SizeFigures = {
  readonly size: number;
  readonly runs: number;
  readonly rules: number;
  /** Chances to help as they are stated and the share that helps, by fifths of the stated chance. */
  readonly fifths: readonly { readonly rules: number; readonly stated: number; readonly helped: number }[];
  /** Of the 95% intervals, those of the offered text and the others. */
  readonly kept: number;
  readonly covered: number;
  readonly coveredRest: number;
  readonly gain: number;
  /** Promise less truth, in points: the mean, its error, and the office with the largest. */
  readonly miss: number;
  readonly missError: number;
  readonly most: number;
  /** Of the rules with a chance of 95% or more, the share that doesn't help. */
  readonly shown: number;
  readonly shownIdle: number;
  readonly below: number;
  readonly idleOffers: number;
};

function figuresOf(size: number, runs: readonly Stated[]): SizeFigures {
  const rules = runs.flatMap((run) => run.rules);
  const helps = ({ truth }: { readonly truth: number }) => truth >= 0.5;
  const kept = rules.filter(({ state }) => state === "kept");
  // a rule that does nothing at all is on the edge of many intervals
  const covered = (some: Stated["rules"]) =>
    mean(some.map(({ low, high, truth }) => Number(low - 0.01 <= truth && truth <= high + 0.01)));
  const misses = runs.map(({ promise, gain }) => promise - gain);
  const shown = rules.filter((rule) => rule.helps >= 0.95);
  const byWorld = Object.keys(worlds).map((name) =>
    mean(runs.flatMap(({ world, promise, gain }) => (world === name ? [promise - gain] : []))),
  );
  return {
    size,
    runs: runs.length,
    rules: rules.length,
    fifths: Array.from({ length: 5 }, (_, fifth) => {
      const own = rules.filter((rule) => Math.min(Math.floor(5 * rule.helps), 4) === fifth);
      return {
        rules: own.length,
        stated: mean(own.map((rule) => rule.helps)),
        helped: mean(own.map((rule) => Number(helps(rule)))),
      };
    }),
    kept: kept.length,
    covered: covered(kept),
    coveredRest: covered(rules.filter(({ state }) => state !== "kept")),
    gain: mean(runs.map(({ gain }) => gain)),
    miss: mean(misses),
    missError: Math.sqrt(mean(misses.map((one) => (one - mean(misses)) ** 2)) / Math.max(runs.length - 1, 1)),
    most: byWorld.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0),
    shown: shown.length,
    shownIdle: mean(shown.map((rule) => Number(!helps(rule)))),
    below: mean(runs.map(({ gain }) => Number(gain < -1))),
    idleOffers: mean(runs.flatMap(({ world, offers }) => (world === "nothing" ? [Number(offers)] : []))),
  };
}

const tableOf = (figures: readonly SizeFigures[]): string[] => [
  ...alignedTable({
    title: "Stated chance to help → share that helps (rules), by fifths of the stated chance",
    head: ["val", "0 – .2", ".2 – .4", ".4 – .6", ".6 – .8", ".8 – 1"],
    rows: figures.map(({ size, fifths }) => [
      String(size),
      ...fifths.map((one) =>
        one.rules === 0 ? "–" : `${one.stated.toFixed(2)} → ${one.helped.toFixed(2)} (${one.rules})`,
      ),
    ]),
  }),
  ...alignedTable({
    title: "Intervals, promises and offers",
    head: [
      "val",
      "runs",
      "kept",
      "95% hold",
      "others",
      "gain",
      "promise − truth",
      "worst office",
      "shown",
      "idle",
      "below",
      "offers without a useful rule",
    ],
    rows: figures.map((one) => [
      String(one.size),
      String(one.runs),
      String(one.kept),
      percent(one.covered),
      percent(one.coveredRest),
      one.gain.toFixed(1),
      `${one.miss.toFixed(1)} (${one.missError.toFixed(1)})`,
      one.most.toFixed(1),
      String(one.shown),
      percent(one.shownIdle),
      percent(one.below),
      percent(one.idleOffers),
    ]),
  }),
];

function shortfallsOf(one: SizeFigures): readonly string[] {
  const at = `val ${one.size}`;
  const bars: readonly (readonly [boolean, string])[] = [
    [one.covered < 0.93, `${at}: ${percent(one.covered)} of the intervals of kept rules hold`],
    [one.coveredRest < 0.93, `${at}: ${percent(one.coveredRest)} of the intervals of other rules hold`],
    [Math.abs(one.miss) > 1.5 + 3 * one.missError, `${at}: promises ${one.miss.toFixed(1)} too much`],
    [Math.abs(one.most) > 5, `${at}: promises ${one.most.toFixed(1)} too much in the worst office`],
    [one.shownIdle > 0.05, `${at}: ${percent(one.shownIdle)} of the shown rules do nothing or harm`],
    [one.below > 0.05, `${at}: ${percent(one.below)} of runs end more than a point below the original`],
    [one.idleOffers > 0.03, `${at}: ${percent(one.idleOffers)} of runs without a useful rule offer one`],
  ];
  return bars.flatMap(([isMissed, words]) => (isMissed ? [words] : []));
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / Math.max(values.length, 1);
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
