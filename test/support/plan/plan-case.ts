import { type Agent, type Clock, type Cost, type Model, type TrainSettings } from "../../../src/ports.ts";
import { singleFileSkill } from "../../../src/method.ts";
import type { Resolved } from "../../../src/config/resolve/resolved.ts";
import type { Range } from "../../../src/core/rehearse/range.ts";
import { simulatedTime } from "../../../src/core/rehearse/simulated-time.ts";
import { agentEnvironment } from "../../../src/core/tasks/agent-environment.ts";
import { charge } from "../charge.ts";
import { compareVerb } from "../../../src/run/verbs/compare.ts";
import { draftVerb } from "../../../src/run/verbs/draft.ts";
import { evaluateVerb } from "../../../src/run/verbs/evaluate.ts";
import { perform } from "../../../src/run/verbs/perform.ts";
import { planVerb } from "../../../src/run/verbs/plan.ts";
import { pruneVerb } from "../../../src/run/verbs/prune.ts";
import { trainVerb } from "../../../src/run/verbs/train.ts";
import type { Verb } from "../../../src/run/verbs/verb.ts";
import {
  type HiddenRuleWorld,
  hiddenRuleWorld,
  memoryJournal,
  seededRandom,
} from "../../../src/testing/index.ts";
import { scriptedModels, scriptedPrices, scriptedRun } from "../scripted-run.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export const planCells = [
  "train chat",
  "eval chat",
  "compare chat",
  "prune chat",
  "draft chat",
  "train agent",
  "eval agent",
  "compare agent",
  "prune agent",
] as const;

export type PlanCell = (typeof planCells)[number];

/** One run, what was said of it beforehand, and what it came to. Money is in billionths of a US dollar. */
export interface PlanReport {
  readonly cell: PlanCell;
  readonly nth: number;
  readonly settings: string;
  readonly calls: number;
  readonly nanoUsd: number;
  /** On the clock that jumps. */
  readonly ms: number;
  /** With a journal that knows nothing of these models, and after one short run of them on other tasks. */
  readonly cold: Stated;
  readonly warm: Stated;
}

export interface Stated {
  readonly price: Range;
  readonly calls: Range;
  readonly time: Range;
  /** Models that it says are guessed. */
  readonly guessed: number;
}

/** Draws a world, models that write and take more or less, sizes and settings; plans, runs, and gives both. */
export async function runPlanCase(cell: PlanCell, nth: number, seed: number): Promise<PlanReport> {
  using folder = temporaryDirectory("plan");
  const drawn = drawCase(cell, nth, seed);
  const journal = await memoryJournal();
  const time = simulatedTime(someTurns);
  const resolvedFor = (splits: Resolved["splits"], settings: Partial<TrainSettings>): Resolved => {
    const rest = { journalDir: folder.path, concurrency: drawn.concurrency, ...drawn.modelsAt(time) };
    return scriptedRun({ url: "http://127.0.0.1:9", skill: drawn.skill, splits, settings, rest });
  };
  const verb = verbOf(cell, resolvedFor(drawn.splits, drawn.settings), drawn.before);
  const stated = async (): Promise<Stated> => {
    const { price, calls, time: ms, guessed } = await planVerb(verb, journal);
    return { price: { low: price.low, high: price.high }, calls, time: ms, guessed: guessed.lengths.length };
  };
  let ended = 0;
  const live = (some: Verb<unknown, object>) =>
    time.drive(() =>
      perform(some, {
        journal,
        artifacts: false,
        clock: time,
        onEvent: ({ type, at }) => {
          if (type === "run-end") ended = at;
        },
      }),
    );
  const cold = await stated();
  const short = { ...drawn.settings, epochs: 1, batchSize: 8, accumulation: 1 };
  await live(trainVerb(resolvedFor(drawn.practice, short)));
  const warm = await stated();
  const begun = time.now();
  const { spent } = await live(verb);
  await journal.close();
  return {
    cell,
    nth,
    settings: drawn.words,
    calls: spent.calls,
    nanoUsd: spent.nanoUsd,
    ms: ended - begun,
    cold,
    warm,
  };
}

/** What the journal writes ends within a few of them. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

function verbOf(cell: PlanCell, resolved: Resolved, before: string): Verb<unknown, object> {
  const [name] = cell.split(" ");
  if (name === "eval") return evaluateVerb(resolved, "val");
  if (name === "compare")
    return compareVerb(resolved, { before: singleFileSkill(before), on: "all", seen: new Set() });
  if (name === "prune") return pruneVerb(resolved, { margin: 0.2 });
  return name === "draft" ? draftVerb(resolved, 12) : trainVerb(resolved);
}

function drawCase(cell: PlanCell, nth: number, seed: number) {
  const random = seededRandom("plan", cell, seed, nth);
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const between = (low: number, high: number) => low * (high / low) ** random();
  const shares = pick(
    { useful: 0.5, useless: 0.3, harmful: 0.2 },
    { useful: 1, useless: 1, harmful: 1 },
    { useful: 0.9, useless: 0.1, harmful: 0 },
  );
  const rules = pick(6, 8, 12);
  const world = hiddenRuleWorld({
    seed: seed + nth,
    rules,
    passWith: pick(0.75, 0.9),
    passWithout: pick(0.1, 0.3),
    noise: pick(1, 1, 0),
    ...shares,
  });
  const isAgent = cell.endsWith("agent");
  const sizes = { train: pick(16, 24, 32), val: pick(16, 24), test: pick(0, 16) };
  const settings: Partial<TrainSettings> = {
    seed: nth,
    epochs: pick(1, 2, 3),
    batchSize: pick(8, 16),
    accumulation: pick(1, 1, 2),
    minibatchSize: pick(4, 8),
    editBudget: pick(2, 4),
    schedule: pick("cosine", "constant", "linear"),
    gate: pick("rules", "rules", "strict"),
    lag: pick(0, 1),
    stopEarly: pick(true, false),
    trials: pick(1, 3),
    attempts: pick(1, 1, 2),
    slowUpdate: pick(true, false),
    metaSkill: pick(true, false),
    baselines: pick(true, false),
    metric: pick("hard", "mixed"),
    successes: pick(false, false, true),
  };
  const splits = world.splits(sizes);
  const start = sizes.train + sizes.val + sizes.test;
  const practice = { train: world.tasks(8, { start }), val: world.tasks(8, { start: start + 8 }), test: [] };
  const nature: Nature = {
    seed: `${cell} ${seed} ${nth}`,
    verbosity: between(1, 2),
    callMs: between(700, 2500),
    tokenMs: between(12, 30),
    agentTokens: between(22_000, 75_000),
    agentCalls: Math.round(between(4, 11)),
    agentMs: between(70_000, 200_000),
  };
  const { gate, trials, attempts, epochs } = settings;
  return {
    splits,
    practice,
    settings,
    skill: world.seedSkill(pick(2, Math.floor(rules / 2))),
    before: world.seedSkill(1),
    concurrency: pick(8, 32, 64),
    words: `${sizes.train}/${sizes.val}/${sizes.test} × ${epochs}, ${gate}, K ${trials}, k ${attempts}`,
    modelsAt: (clock: Clock) => modelsIn(world, nature, isAgent, clock),
  };
}

/** As many tasks as are asked for, in a clerk's words. */
function draftReply(question: string): string {
  const count = Number(/Write (\d+) tasks/.exec(question)?.[1] ?? 1);
  const tasks = Array.from({ length: count }, (_, at) => ({
    input: `A parcel with the number ${at} came in this morning and nobody knows where it belongs. It is heavy, wet on one side, and addressed to the second floor. Where should it go, and who has to be told about it?`,
    expectations: ["It names one shelf of the office.", "It says who is told, and nobody else."],
  }));
  return JSON.stringify({ tasks });
}

/** What models and agents of a case are like; the plan knows nothing of it. */
interface Nature {
  readonly seed: string;
  /** Times the words of an optimizer's reply, for thoughts. */
  readonly verbosity: number;
  readonly callMs: number;
  readonly tokenMs: number;
  /** Of one rollout, on average. */
  readonly agentTokens: number;
  readonly agentCalls: number;
  readonly agentMs: number;
}

function modelsIn(
  world: HiddenRuleWorld,
  nature: Nature,
  isAgent: boolean,
  clock: Clock,
): Pick<Resolved, "modelObjects" | "agents" | "isAgent"> & Partial<Pick<Resolved, "environment">> {
  const answer = (model: string, system: string, question: string, key: string): string =>
    world.reply({
      protocol: "openai-chat",
      model,
      system,
      messages: [{ role: "user", content: question }],
      maxTokens: undefined,
      key,
      tools: [],
    }).text;
  const model = (id: string): Model => ({
    id,
    async generate({ system = "", messages }, { key }) {
      const question = messages.findLast(({ role }) => role === "user")?.content ?? "";
      const isDraft = system.endsWith("Contract: draft_tasks");
      const text = isDraft ? draftReply(question) : answer(id, system, question, key);
      const random = seededRandom(nature.seed, "call", key);
      const talk = id === scriptedModels.optimizer ? nature.verbosity * (0.7 + 0.6 * random()) : 1;
      const letters = system.length + messages.reduce((sum, { content }) => sum + content.length, 0);
      const outputTokens = Math.ceil((talk * text.length) / 4);
      await clock.sleep((0.7 + 0.6 * random()) * (nature.callMs + nature.tokenMs * outputTokens));
      return { text, finish: "stop", usage: { inputTokens: Math.ceil(letters / 4), outputTokens } };
    },
  });
  const modelObjects = new Map(Object.values(scriptedModels).map((id) => [id, model(id)] as const));
  if (!isAgent) return { modelObjects };
  const { target } = scriptedModels;
  const agent: Agent = {
    id: target,
    version: "1",
    parallel: 4,
    async run({ prompt, skills, instructions = "" }, { key, meter }) {
      const random = seededRandom(nature.seed, "rollout", key);
      const isShort = prompt.startsWith("Reply with the word ok");
      const calls = isShort ? 1 : Math.max(1, Math.round(nature.agentCalls * (0.6 + 0.8 * random())));
      const inputTokens = Math.round(nature.agentTokens / nature.agentCalls);
      const usage = { inputTokens, outputTokens: Math.round(inputTokens / 30) };
      const cost: Cost = {
        nanoUsd: charge(usage, scriptedPrices[target]),
        tokens: usage.inputTokens + usage.outputTokens,
        calls: 1,
      };
      for (let call = 0; call < calls; call += 1) {
        const metered = await meter.begin(cost);
        await clock.sleep((nature.agentMs / nature.agentCalls) * (0.7 + 0.6 * random()));
        await metered.end(cost);
      }
      const system = [instructions, ...skills.flatMap(({ files }) => Object.values(files))].join("\n");
      const text = answer(target, system, prompt, key);
      return {
        text,
        ended: "done",
        toolCalls: [],
        changed: {},
        skills: { offered: [], loaded: skills.map(({ name }) => name) },
        conversation: [
          { role: "user", content: prompt },
          { role: "assistant", content: text },
        ],
        usage: { inputTokens: calls * inputTokens, outputTokens: calls * usage.outputTokens },
        calls,
      };
    },
  };
  return { modelObjects, agents: new Map([[target, agent]]), isAgent, environment: agentEnvironment() };
}
