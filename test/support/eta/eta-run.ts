import type { Clock, Model } from "../../../src/ports.ts";
import type { Resolved } from "../../../src/config/resolve/resolved.ts";
import { singleFileSkill } from "../../../src/method.ts";
import { simulatedTime } from "../../../src/core/rehearse/simulated-time.ts";
import { type Progress, timeLeft } from "../../../src/core/rehearse/time-left.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { createRunReader } from "../../../src/report/run-state.ts";
import { compareVerb } from "../../../src/run/verbs/compare.ts";
import { evaluateVerb } from "../../../src/run/verbs/evaluate.ts";
import { perform } from "../../../src/run/verbs/perform.ts";
import { pruneVerb } from "../../../src/run/verbs/prune.ts";
import { trainVerb } from "../../../src/run/verbs/train.ts";
import type { Verb } from "../../../src/run/verbs/verb.ts";
import {
  type HiddenRuleWorld,
  hiddenRuleWorld,
  memoryJournal,
  seededRandom,
} from "../../../src/testing/index.ts";
import { scriptedModels, scriptedRun } from "../scripted-run.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import type { EtaShape } from "./eta-shapes.ts";

/** One run and what was said about its end on the way. */
export interface EtaReport {
  readonly shape: string;
  readonly seed: number;
  /** Of the execution that was told, on the clock that jumps. */
  readonly ms: number;
  readonly results: number;
  /** What was said, for each hundredth of the run, and what was true. */
  readonly told: readonly { readonly percent: number; readonly said: number | null; readonly left: number }[];
}

/** Runs a shape on a clock that jumps, and listens to what is said about its end. */
export async function runEta(shape: EtaShape, seed: number): Promise<EtaReport> {
  using folder = temporaryDirectory("eta");
  // a rehearsal beside the run takes moments, and no moment passes on a clock that jumps
  const forecast = { isAwaited: false };
  const time = simulatedTime(async () => {
    await someTurns();
    for (let turn = 0; forecast.isAwaited && turn < mostTurns; turn += 1) await someTurns();
  });
  const journal = await memoryJournal();
  const { tasks, held = 2 } = shape;
  const world = hiddenRuleWorld({
    seed,
    rules: 8,
    passWith: held === 8 ? 1 : 0.9,
    passWithout: 0.2,
    useful: 0.5,
    useless: 0.3,
    harmful: 0.2,
  });
  const modelObjects = modelsOf(shape, world, seed, time);
  const resolvedFor = (splits: Resolved["splits"], settings: EtaShape["settings"]) => {
    const rest = { journalDir: folder.path, concurrency: shape.concurrency, modelObjects };
    return scriptedRun({ url: "http://127.0.0.1:9", skill: world.seedSkill(held), splits, settings, rest });
  };
  const live = (verb: Verb<unknown, object>, hear?: (event: RunEvent) => void, signal?: AbortSignal) => {
    let isTold = false;
    const onEvent = (event: RunEvent) => {
      isTold ||= event.type === "forecast";
      forecast.isAwaited = !isTold && event.type === "unit-end" && event.stage !== "preflight";
      hear?.(event);
    };
    return time.drive(() => perform(verb, { journal, artifacts: false, clock: time, onEvent, signal }));
  };

  const { train, val, test } = tasks;
  if (shape.isWarm === true) {
    const start = train + val + test;
    const practice = {
      train: world.tasks(8, { start }),
      val: world.tasks(8, { start: start + 8 }),
      test: [],
    };
    await live(trainVerb(resolvedFor(practice, { ...shape.settings, seed, epochs: 1, batchSize: 8 })));
  }
  const verb = verbOf(shape, resolvedFor(world.splits(tasks), { ...shape.settings, seed }), world);
  if (shape.resumedAt !== undefined) {
    // how many results there are shows only in a run of its own
    const all = await countResults(shape, seed);
    const stop = new AbortController();
    let came = 0;
    const count = ({ type }: RunEvent) => {
      came += type === "unit-end" ? 1 : 0;
      if (came >= (shape.resumedAt ?? 0) * all) stop.abort();
    };
    await live(verb, count, stop.signal).catch(() => {});
  }
  return listen(shape, seed, (onEvent) => live(verb, onEvent));
}

async function countResults(shape: EtaShape, seed: number): Promise<number> {
  const { resumedAt: _, ...whole } = shape;
  return (await runEta(whole, seed)).results;
}

async function listen(
  shape: EtaShape,
  seed: number,
  run: (onEvent: (event: RunEvent) => void) => Promise<unknown>,
): Promise<EtaReport> {
  const reader = createRunReader();
  const heard: (Progress & { readonly from: number })[] = [];
  let [begun, ended, results] = [0, 0, 0];
  await run((event) => {
    reader.add(event);
    if (event.type === "run-start") begun = event.at;
    if (event.type === "run-end") ended = event.at;
    if (event.type === "unit-end") results += 1;
    const state = reader.state();
    if (state !== undefined)
      heard.push({
        from: event.at,
        forecast: state.forecast,
        passed: state.passed,
        pace: state.pace,
        announced: state.announced,
      });
  });
  const ms = ended - begun;
  const told = Array.from({ length: 99 }, (_, nth) => {
    const now = begun + (ms * (nth + 1)) / 100;
    const known = heard.findLast(({ from }) => from <= now);
    const said = known === undefined ? undefined : timeLeft(known, now);
    return { percent: nth + 1, said: said ?? null, left: ended - now };
  });
  return { shape: shape.name, seed, ms, results, told };
}

function verbOf({ verb }: EtaShape, resolved: Resolved, world: HiddenRuleWorld): Verb<unknown, object> {
  if (verb === "eval") return evaluateVerb(resolved, "val");
  if (verb === "prune") return pruneVerb(resolved, { margin: 0.2 });
  if (verb === "compare")
    return compareVerb(resolved, { before: singleFileSkill(world.seedSkill(1)), on: "all", seen: new Set() });
  return trainVerb(resolved);
}

/** Models with latencies of the shape, behind a server with its slots. */
function modelsOf(
  shape: EtaShape,
  world: HiddenRuleWorld,
  seed: number,
  clock: Clock,
): ReadonlyMap<string, Model> {
  const waiting: (() => void)[] = [];
  let [busy, served] = [0, 0];
  const occupy = async (ms: number) => {
    if (busy >= (shape.slots ?? Number.POSITIVE_INFINITY))
      await new Promise<void>((begin) => void waiting.push(begin));
    else busy += 1;
    await clock.sleep(ms);
    const next = waiting.shift();
    if (next === undefined) busy -= 1;
    else next();
  };
  const model = (id: string): Model => ({
    id,
    async generate({ system = "", messages }, { key }) {
      const question = messages.findLast(({ role }) => role === "user")?.content ?? "";
      const { text } = world.reply({
        protocol: "openai-chat",
        model: id,
        system,
        messages: [{ role: "user", content: question }],
        maxTokens: undefined,
        key,
        tools: [],
      });
      const random = seededRandom("eta", seed, key);
      const usual = id === scriptedModels.optimizer ? shape.optimizerMs : shape.targetMs;
      const { after, times } = shape.slower ?? { after: 0, times: 1 };
      await occupy((served < after ? 1 : times) * usual * Math.exp(shape.noise * normal(random)));
      served += 1;
      return { text, finish: "stop", usage: { inputTokens: 400, outputTokens: Math.ceil(text.length / 4) } };
    },
  });
  return new Map(Object.values(scriptedModels).map((id) => [id, model(id)]));
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** More than a rehearsal takes. */
const mostTurns = 20_000;

/** What the journal writes ends within a few of them. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}
