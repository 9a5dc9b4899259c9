import { parse } from "yaml";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, type Trained, type TriggerFigures, train } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { type TriggerWorldOptions, triggerWorld } from "../test/support/trigger-world.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { scriptedModels, scriptedPrices } from "../test/support/scripted-config.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "Next to three neighbours, a vague description gains precision and recall through the gate, and the sealed test proves it in 9 of 10 runs. The body stays byte for byte the same. With a proposer of harmful descriptions, the original stays.";

const provenShare = 0.9;

const requests = 240;
const harmful = { useful: 0, useless: 0, harmful: 1 };
const settings: Config = { batchSize: 20, split: "1:1:1" };
/** A description that has something to lose: it names all that the skill is for. */
const namedAtStake = 6;

export default async function trigger({ args, short, log }: ProofOptions): Promise<ProofResult> {
  const count = numberOption(args, "seeds", short ? 5 : 20);
  const first = numberOption(args, "first", 1);
  const seeds = Array.from({ length: count }, (_, index) => first + index);
  log(`${requests} requests, half of them should load the skill; train, val and test get a third each`);
  log("the target is random in every call: it loads the skill with probability 0.92 for what the");
  log("description names, 0.05 for what it excludes, and 0.35 to 0.40 for everything else");
  log("real HTTP, sqlite journal, default gate and sealed test (3 trials)");
  log("");
  log("seed   test precision   test recall     true precision   true recall   verdict");
  const trained: Measured[] = [];
  for (const seed of seeds) {
    const run = await runWorld({ seed });
    trained.push(run);
    const { test, truth } = run;
    log(
      `${String(seed).padStart(4)}   ${arrow(test.before.precision, test.after.precision)}    ${arrow(test.before.recall, test.after.recall)}   ` +
        `${arrow(truth.before.precision, truth.after.precision)}    ${arrow(truth.before.recall, truth.after.recall)}   ${run.verdict}`,
    );
  }
  log("");
  log(`only harmful proposals, on a description that names all ${namedAtStake} kinds of its requests`);
  const harmed: Measured[] = [];
  for (const seed of seeds) {
    harmed.push(await runWorld({ seed, proposals: harmful }, namedAtStake));
  }
  // val is a search signal, which chance may fool now and then; the claim may not be
  const fooled = harmed.filter(({ isOriginal }) => !isOriginal);
  const falselyProven = harmed.filter(({ verdict }) => verdict === "better");
  const rejected = harmed.reduce((sum, run) => sum + run.rejected, 0);
  log(`${seeds.length - fooled.length} of ${seeds.length} seeds end at the original; ${rejected} rejected`);

  const proven = trained.filter(
    ({ verdict, test }) =>
      verdict === "better" &&
      isAbove(test.after.precision, test.before.precision) &&
      isAbove(test.after.recall, test.before.recall),
  );
  const fellShort = trained.filter(
    ({ accepted, truth: { before, after } }) =>
      accepted === 0 || after.precision <= before.precision || after.recall <= before.recall,
  );
  log(
    `${proven.length} of ${seeds.length} trainings proven better by the sealed test, in precision and recall`,
  );
  const changedBodies = [...trained, ...harmed].filter(({ bodyKept }) => !bodyKept);
  if (fellShort.length > 0) log(`fell short: seeds ${fellShort.map(({ seed }) => seed).join(", ")}`);
  if (fooled.length > 0) log(`the search was fooled: seeds ${fooled.map(({ seed }) => seed).join(", ")}`);
  log(`${falselyProven.length} harmful descriptions proven better by the sealed test`);
  const few = Math.ceil((1 - provenShare) * seeds.length - 1e-9);
  const mean = (value: (run: Measured) => number | null) =>
    round(trained.reduce((sum, run) => sum + (value(run) ?? 0), 0) / trained.length);
  return {
    ok:
      proven.length >= Math.floor(provenShare * seeds.length) &&
      fellShort.length <= few &&
      fooled.length <= few &&
      falselyProven.length === 0 &&
      changedBodies.length === 0,
    figures: {
      seeds: seeds.length,
      first,
      requests,
      precision: [mean(({ test }) => test.before.precision), mean(({ test }) => test.after.precision)],
      recall: [mean(({ test }) => test.before.recall), mean(({ test }) => test.after.recall)],
      truePrecision: [
        mean(({ truth }) => truth.before.precision),
        mean(({ truth }) => truth.after.precision),
      ],
      trueRecall: [mean(({ truth }) => truth.before.recall), mean(({ truth }) => truth.after.recall)],
      provenBetter: proven.length,
      fellShort: fellShort.map(({ seed }) => seed),
      harmfulRejected: rejected,
      falselyProven: falselyProven.length,
      harmfulFooled: fooled.map(({ seed }) => seed),
      bodiesChanged: changedBodies.length,
    },
  };
}

interface Measured {
  readonly seed: number;
  readonly verdict: string;
  readonly accepted: number;
  readonly rejected: number;
  /** As the sealed test measured it. */
  readonly test: { readonly before: TriggerFigures; readonly after: TriggerFigures };
  /** Computed, not measured. */
  readonly truth: { readonly before: Truth; readonly after: Truth };
  readonly isOriginal: boolean;
  /** Everything but the line of the description is as it was. */
  readonly bodyKept: boolean;
}

type Truth = ReturnType<ReturnType<typeof triggerWorld>["truth"]>;

async function runWorld(options: TriggerWorldOptions, named = 0): Promise<Measured> {
  const { seed } = options;
  const world = triggerWorld(options);
  using folder = temporaryDirectory("trigger");
  const install = (name: string, text: string): string => {
    const place = join(folder.path, name);
    mkdirSync(place);
    writeFileSync(join(place, "SKILL.md"), text);
    return place;
  };
  const text = world.skill(named);
  const skill = install("parcel-customs", text);
  const neighbours = Object.entries(world.neighbours).map(([name, other]) => install(name, other));
  await using server = await startScriptedServer({ seed, world, record: false });
  const run = await train({
    ...settings,
    track: "description",
    skill,
    neighbours,
    tasks: world.tasks(requests),
    seed,
    ...scriptedModels,
    baseURL: `${server.url}/v1`,
    prices: scriptedPrices,
    journal: join(folder.path, "journal"),
  });
  if (readFileSync(join(skill, "SKILL.md"), "utf8") !== text) throw new Error("the live skill was changed");
  return measure(seed, text, world, run);
}

function measure(
  seed: number,
  text: string,
  world: ReturnType<typeof triggerWorld>,
  { best, steps, summary }: Trained,
): Measured {
  // an original that stays is not tested
  const { before, after } = summary.triggers?.test ?? { before: nothing, after: nothing };
  if (after === undefined) throw new Error("nothing was measured on test");
  const truth = (skill: string) => world.truth(descriptionOf(skill));
  const rest = (skill: string) => skill.replace(/^description: .*$/m, "");
  const count = (word: string) => steps.filter(({ action }) => action.startsWith(word)).length;
  return {
    seed,
    verdict: summary.verdict,
    accepted: count("accept"),
    rejected: count("reject"),
    test: { before, after },
    truth: { before: truth(text), after: truth(best.text) },
    isOriginal: best.text === text,
    bodyKept: rest(best.text) === rest(text),
  };
}

const nothing: TriggerFigures = {
  rollouts: 0,
  wanted: 0,
  triggered: 0,
  both: 0,
  precision: null,
  recall: null,
};

const isAbove = (after: number | null, before: number | null): boolean =>
  after !== null && (before === null || after > before);
const round = (value: number): number => Math.round(value * 1000) / 1000;
const show = (value: number | null): string => (value === null ? "none " : value.toFixed(3));
const arrow = (before: number | null, after: number | null): string => `${show(before)} → ${show(after)}`;

function descriptionOf(skill: string): string {
  const { description } = parse(skill.split(/^---$/m)[1] ?? "") as { readonly description: string };
  return description.replaceAll(/\s+/g, " ").trim();
}
