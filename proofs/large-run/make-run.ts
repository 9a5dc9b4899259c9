import {
  type Edit,
  applyPatch,
  claimVerdict,
  mainText,
  singleFileSkill,
  skillHash,
} from "../../src/method.ts";
import type { EventBody, Rolled, RunEvent, Splits, Task, Trials } from "../../src/index.ts";
import { type Journal, type Json, type JsonObject, sqliteJournal } from "../../src/ports.ts";
import { seededRandom } from "../../src/testing/index.ts";
import { join } from "node:path";
import {
  configArtifacts,
  priceCosts,
  resultArtifacts,
  stepArtifacts,
  summarize,
  writeArtifacts,
} from "../../src/run/reports/artifacts.ts";
import { proposalArtifacts } from "../../src/run/offer/proposal.ts";
import { paperSettings, scriptedModels, scriptedRun } from "../../test/support/scripted-run.ts";

type TrainResult = Parameters<typeof resultArtifacts>[0];
type StepOutcome = Parameters<typeof stepArtifacts>[0];

export interface LargeRunSize {
  /** Of val: each is asked `trials` times for every candidate. */
  readonly tasks: number;
  readonly trials: number;
  readonly candidates: number;
  readonly seed: number;
}

export interface LargeRun {
  readonly run: string;
  readonly folder: string;
  readonly events: number;
  readonly rollouts: number;
}

const trainTasks = 200;
const testTasks = 200;
const batch = 40;

/** Writes a finished training run of any size, as a real one would leave it, without rolling anything out. */
export async function makeLargeRun(journalDir: string, size: LargeRunSize): Promise<LargeRun> {
  const { tasks, trials, candidates, seed } = size;
  const random = seededRandom("large-run", seed);
  const original = singleFileSkill(
    "---\nname: parcels\ndescription: Sorts parcels.\n---\n\n# Parcels\n\nSort them.\n",
  );
  const splits: Splits = {
    train: makeTasks("train", trainTasks),
    val: makeTasks("val", tasks),
    test: makeTasks("test", testTasks),
  };
  const settings = {
    ...paperSettings,
    gate: "strict",
    trials,
    epochs: candidates / (trainTasks / batch),
  } as const;
  const resolved = scriptedRun({
    url: "http://127.0.0.1:9",
    skill: original.files["SKILL.md"] ?? "",
    splits,
    settings,
    rest: { journalDir },
  });
  const run = `large${seed}`.padEnd(16, "0");
  const folder = join(journalDir, "runs", run);
  const journal = await sqliteJournal({ dir: journalDir });
  const log = eventWriter(journal, run);
  const roll = (of: readonly Task[], ability: number): Rolled[] =>
    of.map((task) => rollOne(task, ability, random));
  const rollAll = (of: readonly Task[], ability: number): Rolled[][] =>
    Array.from({ length: trials }, () => roll(of, ability));

  await log.add({
    type: "run-start",
    command: "train",
    skill: skillHash(mainText(original)),
    models: { ...scriptedModels },
    tasks: { train: trainTasks, val: tasks, test: testTasks },
    steps: candidates,
    resumed: 0,
    finished: false,
    spent: { nanoUsd: 0, tokens: 0, calls: 0 },
    folder,
    settings: settings as unknown as Json,
  });
  await writeArtifacts(folder, configArtifacts(run, resolved));

  let ability = 0.4;
  let skill = original;
  const baseline = rollAll(splits.val, ability).flat();
  await log.stage("baseline", 0, baseline.length, { hard: meanOf(baseline), soft: meanOf(baseline) });
  const baselineScore = meanOf(baseline);
  let standing: Pick<TrainResult, "current" | "best" | "known"> = {
    current: { skill, score: baselineScore },
    best: { skill, score: baselineScore, step: 0 },
    known: undefined,
  };
  const summaries: TrainResult["steps"][number][] = [];
  for (let step = 1; step <= candidates; step += 1) {
    const epoch = Math.ceil(step / (trainTasks / batch));
    await log.add({ type: "step-start", step, epoch, steps: candidates, budget: 3 });
    const from = ((step - 1) * batch) % trainTasks;
    const rolled = roll(splits.train.slice(from, from + batch), ability);
    await log.stage("rollout", step, rolled.length);
    const edits = makeEdits(step, rolled);
    await log.stage("reflect", step, 5);
    const { skill: candidate, reports } = applyPatch(skill, edits);
    const change = random() * 0.05 - 0.02;
    const seen = rollAll(splits.val, Math.min(ability + change, 0.97)).flat();
    await log.stage("evaluate", step, seen.length);
    const score = meanOf(seen);
    const isBetter = score > (standing.current.score ?? 0) + 0.005;
    if (isBetter) {
      ability = Math.min(ability + change, 0.97);
      skill = candidate;
      standing = { ...standing, current: { skill, score }, best: { skill, score, step } };
    }
    const reason = `${(100 * score).toFixed(1)} % on val`;
    const record: StepOutcome = {
      step,
      epoch,
      budget: 3,
      rolled,
      patches: [
        { source: "failure", taskIds: edits[0]?.evidence ?? [], patterns: [], reasoning: reason, edits },
      ],
      merged: { reasoning: reason, edits, ranked: true },
      selected: { reasoning: reason, edits },
      reports,
      candidate,
      changes: [],
      on: [],
      tried: { step, patterns: [], rejected: [] },
      action: isBetter ? "accept_new_best" : "reject",
      reason,
      ...(isBetter ? { score } : {}),
      standing,
      evaluation: { rolled: seen, pending: 0 },
      evidence: { rollouts: seen.length, p: isBetter ? 0.01 : 0.5 },
    };
    const files = stepArtifacts(record, true);
    await writeArtifacts(folder, files);
    const text = Object.entries(files).find(([path]) => path.endsWith("step_record.json"))?.[1];
    const written = JSON.parse(text as string) as TrainResult["steps"][number];
    await log.add({ type: "step-end", ...written, edits: edits.length, refused: 0 });
    summaries.push(written);
  }
  const arms = [
    rollTest(splits.test, 0.4, trials, random),
    rollTest(splits.test, ability, trials, random),
  ] as const;
  await log.stage("test", 0, 2 * testTasks * trials);
  const pairs = splits.test.map((_, at) => ({
    incumbent: arms[0].scores[at] ?? [],
    candidate: arms[1].scores[at] ?? [],
  }));
  const evidence = {
    tasks: splits.test.map(({ id }) => id),
    pairs,
    uses: [],
    skillTokens: { before: 0, after: 0 },
    hosts: {},
    steady: false,
    isFresh: true,
    models: [],
    order: [],
    bar: { alpha: 0.05, read: 1, found: [] },
    seen: [],
  };
  const claim = claimVerdict(pairs, { alpha: 0.03 });
  const sealed = {
    claim,
    read: 1,
    trials,
    fallen: [],
    models: [],
    hosts: {},
    leftOut: [],
    missing: [],
    drift: undefined,
    perRollout: undefined,
    kind: "claimed",
    id: "made",
    original: arms[0],
    best: arms[1],
    evidence,
  } as const;
  const result: TrainResult = {
    ...standing,
    original,
    baseline: { rolled: baseline, pending: 0 },
    baselineScore,
    steps: summaries,
    planned: summaries.length,
    epochs: [],
    confirmed: [],
    sealed,
  };
  const summary = summarize(run, result, priceCosts(log.costs()), "strict");
  const proposal = {
    run,
    original,
    best: skill,
    sealed: { verdict: claim.verdict, sentence: summary.sentence },
  };
  await writeArtifacts(folder, {
    ...resultArtifacts(result),
    "summary.json": `${JSON.stringify(summary, null, 2)}\n`,
    ...proposalArtifacts(proposal),
  });
  await log.add({
    type: "run-end",
    status: "done",
    message: summary.sentence,
    summary: summary as unknown as Json,
    cost: log.costs().target,
  });
  await log.flush();
  await journal.close();
  return { run, folder, events: log.count(), rollouts: (candidates + 1) * tasks * trials };
}

const makeTasks = (split: string, count: number): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${split}-${String(at + 1).padStart(4, "0")}`,
    input: `Parcel ${at + 1} of the ${split} list: a ${colors[at % colors.length]} crate of ${goods[at % goods.length]}, ${(at % 37) + 1} kg, tied with string. Which shelf code does it get?`,
  }));

const colors = ["grey", "red", "pale", "striped", "yellow"];
const goods = [
  "oil paints",
  "sheet music",
  "fishing nets",
  "flour sacks",
  "silk ribbons",
  "seed potatoes",
  "lemons",
];

/** Some tasks are hard, some easy, most waver. */
function rollOne(task: Task, ability: number, random: () => number): Rolled {
  const nature = (Number(task.id.slice(-4)) * 7919) % 1000;
  const chance = nature < 200 ? 0.02 : nature > 900 ? 0.99 : ability;
  const hard = random() < chance ? 1 : 0;
  const answer = hard === 1 ? "A-101" : "B-202";
  return {
    task,
    outcome: {
      kind: "scored",
      hard,
      soft: hard,
      feedback: hard === 1 ? `Correct: "${answer}".` : `Expected "A-101"; got "${answer}".`,
      conversation: [
        { role: "user", content: task.input },
        { role: "assistant", content: answer },
      ],
    },
  };
}

function rollTest(tasks: readonly Task[], ability: number, trials: number, random: () => number): Trials {
  const rolled = Array.from({ length: trials }, () => tasks.map((task) => rollOne(task, ability, random)));
  const scores = tasks.map((_, at) =>
    rolled.map((trial) => {
      const outcome = trial[at]?.outcome;
      return outcome?.kind === "scored" ? outcome.hard : null;
    }),
  );
  return { rolled, scores };
}

function makeEdits(step: number, rolled: readonly Rolled[]): readonly Edit[] {
  const evidence = rolled.slice(0, 3).map(({ task }) => task.id);
  return [1, 2, 3].map((nth) => ({
    op: "append",
    content: `- Rule ${step}.${nth}: a crate of ${goods[(step + nth) % goods.length]} goes to shelf ${step}-${nth}, unless it is heavier than ${step + 10} kg.`,
    evidence,
    source: "failure",
    support: evidence.length,
  }));
}

function meanOf(rolled: readonly Rolled[]): number {
  const hard = rolled.map(({ outcome }) => (outcome.kind === "scored" ? outcome.hard : 0));
  return hard.reduce((sum: number, one) => sum + one, 0) / hard.length;
}

const unitCost = { nanoUsd: 41_000, tokens: 310, calls: 1 };
/** Writes of one turn are one transaction. */
const turn = 10_000;

function eventWriter(journal: Journal, run: string) {
  let seq = 0;
  let at = Date.UTC(2026, 0, 1);
  let units = 0;
  let writing: Promise<unknown>[] = [];
  const flush = async () => {
    await Promise.all(writing);
    writing = [];
  };
  const add = async ({ type, ...body }: EventBody) => {
    seq += 1;
    at += type === "unit-end" ? 3 : 50;
    const event = { v: 1, seq, at, ...body } as unknown as JsonObject;
    writing.push(journal.write({ kind: "event", run, key: "", name: type, body: event }));
    if (writing.length >= turn) await flush();
  };
  return {
    add,
    flush,
    count: () => seq,
    costs: () => ({
      target: { nanoUsd: units * unitCost.nanoUsd, tokens: units * unitCost.tokens, calls: units },
    }),
    /** A stage and one event for each of its results. */
    async stage(
      stage: (RunEvent & { type: "stage-start" })["stage"],
      step: number,
      total: number,
      score = {},
    ) {
      const started = at;
      await add({ type: "stage-start", step, stage, total });
      const role = stage === "reflect" ? "optimizer" : "target";
      for (let unit = 0; unit < total; unit += 1) {
        units += 1;
        const key = units.toString(16).padStart(64, "0");
        await add({
          type: "unit-end",
          key,
          role,
          step,
          stage,
          from: "provider",
          cost: unitCost,
          ms: 900,
          tries: 1,
        });
      }
      await add({ type: "stage-end", step, stage, total, pending: 0, ms: at - started, ...score });
    },
  };
}
