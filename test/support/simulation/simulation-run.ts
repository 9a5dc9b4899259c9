import { diskJournal } from "./disk-journal.ts";
import { priceOf } from "../../../src/adapters/models/prices.ts";
import type { Resolved } from "../../../src/config/resolve/resolved.ts";
import { type ErrorCode, WhetstoneError } from "../../../src/core/errors.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { type Ledger, readLedger } from "../../../src/core/work/ledger.ts";
import { type Cost, addCost, noCost } from "../../../src/core/cost.ts";
import type { Entry } from "../../../src/core/ports/journal.ts";
import { costOf } from "../../../src/core/work/price.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { singleFileSkill } from "../../../src/core/skill/skill.ts";
import { chatEnvironment } from "../../../src/core/tasks/chat-environment.ts";
import { type TrainResult, trainSkill } from "../../../src/core/loop/train.ts";
import type { StepOutcome } from "../../../src/core/loop/step-outcome.ts";
import { preflight } from "../../../src/run/session/preflight.ts";
import { runId } from "../../../src/run/session/run-id.ts";
import { runInSession } from "../../../src/run/session/run-in-session.ts";
import type { Session } from "../../../src/run/session/session.ts";
import { hiddenRuleWorld } from "../../../src/testing/index.ts";
import { type SimulatedDisk, simulatedDisk } from "./simulated-disk.ts";
import { type NetworkCall, type SimulatedNetwork, simulatedNetwork } from "./simulated-network.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";
import { paperSettings, scriptedModels, scriptedPrices } from "../scripted-run.ts";
import type { SimulationPlan } from "./simulation-plan.ts";

/** The whole history of one seed: every execution of one run, until it is done. */
export interface SimulatedHistory {
  readonly result: TrainResult | undefined;
  readonly steps: readonly StepOutcome[];
  readonly resolved: Resolved;
  readonly entries: readonly Entry[];
  readonly ledger: Ledger;
  readonly executions: number;
  readonly crashes: number;
  readonly stops: number;
  readonly calls: number;
  readonly virtualMs: number;
  readonly hash: string;
  readonly violations: readonly string[];
}

const maxExecutions = 400;
/** Once nothing goes wrong any more: what was under way may still stop once or twice, and a cap may have to be raised. */
const maxCalmExecutions = 12;
const maxCalmMs = 15 * 60_000;

/** What may end an execution. Anything else, a bare error above all, is a fault of ours. */
const orderlyStops: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "interrupted",
  "too-many-pending",
  "spend-cap",
  "provider-refused",
  "provider-spend-limit",
  "journal-write",
]);

interface World {
  readonly plan: SimulationPlan;
  readonly random: () => number;
  readonly time: VirtualTime;
  readonly startedAt: number;
  readonly disk: SimulatedDisk;
  readonly network: SimulatedNetwork;
  /** Keys whose results a run was told to be safe. */
  readonly acknowledged: Set<string>;
  readonly violate: (what: string) => void;
}

/** Runs one seed to its end. `freeCost` is the price of the run without faults, of which caps are a share. */
export async function simulate(plan: SimulationPlan, freeCost?: Cost): Promise<SimulatedHistory> {
  const random = seededRandom("simulation", plan.seed);
  const time = virtualTime(random);
  const startedAt = time.now();
  const elapsed = () => time.now() - startedAt;
  const isCalm = () => elapsed() >= plan.faultsEndMs;
  const violations: string[] = [];
  const violate = (what: string) => void violations.push(what);
  const acknowledged = new Set<string>();
  let charged = noCost;
  let calls = 0;
  const onCall = (call: NetworkCall) => {
    calls += 1;
    charged = addCost(charged, costOfCall(call));
    if (acknowledged.has(call.key)) violate(`${call.key.slice(0, 12)} had a result and was bought again`);
  };
  const hidden = hiddenRuleWorld({ seed: plan.seed, rules: 4 });
  const network = simulatedNetwork({
    world: hidden,
    random,
    faultRate: () => (isCalm() ? 0 : plan.faultRate),
    outage: () =>
      plan.outages.find(({ from, to }) => !isCalm() && elapsed() >= from && elapsed() < to)?.fault,
    onCall,
  });
  const disk = simulatedDisk({ random, failRate: () => (isCalm() ? 0 : plan.diskFailRate) });
  const world: World = { plan, random, time, startedAt, disk, network, acknowledged, violate };

  let capUsd = plan.capShare === undefined ? undefined : (plan.capShare * (freeCost?.nanoUsd ?? 0)) / 1e9;
  let [executions, calmExecutions, crashes, stops] = [0, 0, 0, 0];
  for (;;) {
    executions += 1;
    if (isCalm()) calmExecutions += 1;
    const resolved = resolvedRun(plan, hidden, capUsd);
    const diskFailures = disk.failures;
    const ended = await executeOnce(resolved, world);
    // after a failed write nobody can know in memory what reached the disk
    const isBlind = disk.failures > diskFailures;
    time.note(`${ended.kind} ${ended.kind === "stopped" ? ended.code : ""}`);
    const { entries, ledger } = await inspectDisk(
      world,
      isBlind ? undefined : spentOf(ended),
      capUsd,
      charged,
    );
    if (ended.kind === "crashed") crashes += 1;
    if (ended.kind === "stopped") stops += 1;
    const isBounded =
      executions < maxExecutions &&
      calmExecutions <= maxCalmExecutions &&
      elapsed() < plan.faultsEndMs + maxCalmMs;
    if (ended.kind !== "done" && !isBounded)
      violate(`did not end: ${executions} executions, ${elapsed()} ms`);
    if (ended.kind === "done" || ended.kind === "stuck" || !isBounded) {
      const common = { resolved, entries, ledger, executions, crashes, stops, calls, violations };
      const done = ended.kind === "done" ? ended : { result: undefined, steps: [] };
      return { ...common, ...done, virtualMs: elapsed(), hash: time.history() };
    }
    if (ended.kind === "stopped" && ended.code === "spend-cap" && capUsd !== undefined)
      capUsd = capUsd * 1.5 + 0.01;
    await pause(time, ended.kind === "crashed" ? random() * 300 : random() * 2000);
  }
}

type Ended =
  | {
      readonly kind: "done";
      readonly result: TrainResult;
      readonly steps: readonly StepOutcome[];
      readonly spent: Cost;
    }
  | { readonly kind: "stopped"; readonly code: ErrorCode; readonly spent: Cost | undefined }
  | { readonly kind: "crashed" }
  | { readonly kind: "stuck" };

/** One execution of the run: from what the disk holds to its end, its death or an orderly stop. */
async function executeOnce(resolved: Resolved, world: World): Promise<Ended> {
  const { plan, random, time, startedAt, disk, network, acknowledged, violate } = world;
  const process = time.startProcess();
  const machine = time.startProcess();
  const interrupt = new AbortController();
  const schedule = (mean: number, name: string, happen: () => void) => {
    const wait = -Math.log(1 - random()) * mean;
    if (Number.isFinite(wait) && time.now() + wait < startedAt + plan.faultsEndMs)
      machine.after(wait, name, happen);
  };
  let [ended, spent]: [Ended | undefined, (() => Cost) | undefined] = [undefined, undefined];
  schedule(plan.meanCrashMs, "crash", () => {
    ended ??= { kind: "crashed" };
    process.kill();
    disk.crash();
  });
  schedule(plan.meanInterruptMs, "interrupt", () => interrupt.abort());

  const ids = Object.values(scriptedModels);
  const modelObjects = new Map(ids.map((id) => [id, network.model(id, process)]));
  const steps: StepOutcome[] = [];
  const onEvent = (event: RunEvent) => {
    if (event.type === "unit-end" && process.isAlive) acknowledged.add(event.key);
  };
  const run = async (): Promise<TrainResult> => {
    const journal = await diskJournal(disk.mount(process));
    const place = { run: runId("train", resolved), folders: [], resolved: { ...resolved, modelObjects } };
    const options = { journal, onEvent, clock: process.clock, signal: interrupt.signal, artifacts: false };
    const result = await runInSession(place, options, async (session: Session) => {
      spent = () => session.spend.spent();
      await preflight(["target", "optimizer"], session.context);
      const onStep = async (record: StepOutcome) => void steps.push(record);
      return trainSkill({ skill: resolved.skill, splits: resolved.splits, onStep }, session.context);
    });
    await journal.close();
    return result;
  };
  run().then(
    (result) => {
      ended ??= { kind: "done", result, steps, spent: spent?.() ?? noCost };
    },
    (error: unknown) => {
      const code = error instanceof WhetstoneError ? error.code : "failed";
      if (!orderlyStops.has(code)) violate(`stopped by ${String(error)}`);
      ended ??= { kind: "stopped", code, spent: spent?.() };
    },
  );
  while (ended === undefined) {
    if (!(await time.advance()) && ended === undefined) {
      violate("nothing is due and the run has not ended");
      ended = { kind: "stuck" };
    }
  }
  machine.kill();
  process.kill();
  return ended;
}

/** What the execution believed to have spent; the dead believe nothing. */
const spentOf = (ended: Ended): Cost | undefined =>
  ended.kind === "done" || ended.kind === "stopped" ? ended.spent : undefined;

/** Reads what the disk holds, as the next execution will find it, and holds it against what was promised. */
async function inspectDisk(
  { disk, time, acknowledged, violate }: World,
  spent: Cost | undefined,
  capUsd: number | undefined,
  charged: Cost,
): Promise<{ entries: readonly Entry[]; ledger: Ledger }> {
  const entries: Entry[] = [];
  try {
    const reader = await diskJournal(disk.mount(time.startProcess()));
    for await (const entry of reader.read()) entries.push(entry);
  } catch (error) {
    violate(`the journal cannot be read: ${String(error)}`);
  }
  const ledger = await readLedger(each(entries));
  const results = entries.filter(({ kind }) => kind === "result").map(({ key }) => key);
  const known = new Set(results);
  if (known.size !== results.length) violate("a key has two results");
  for (const key of acknowledged) {
    if (!known.has(key)) violate(`the result of ${key.slice(0, 12)} was acknowledged and is lost`);
  }
  const events = Map.groupBy(
    entries.filter(({ kind }) => kind === "event"),
    ({ run }) => run,
  );
  for (const log of events.values()) {
    if (log.some(({ body }, at) => body["seq"] !== at + 1)) violate("events are not numbered 1, 2, 3, …");
  }
  if (capUsd !== undefined && ledger.spent.nanoUsd > Math.round(capUsd * 1e9)) {
    violate(`${ledger.spent.nanoUsd} booked, above the cap of ${capUsd} USD`);
  }
  if (charged.nanoUsd > ledger.spent.nanoUsd || charged.calls > ledger.spent.calls) {
    violate(`the provider charged ${JSON.stringify(charged)}, booked are ${JSON.stringify(ledger.spent)}`);
  }
  if (spent !== undefined && JSON.stringify(spent) !== JSON.stringify(ledger.spent)) {
    violate(`spent in memory ${JSON.stringify(spent)}, ledger ${JSON.stringify(ledger.spent)}`);
  }
  return { entries, ledger };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function pause(time: VirtualTime, ms: number): Promise<void> {
  const until = time.now() + ms;
  time.startProcess().after(ms, "start again", () => {});
  while (time.now() < until && (await time.advance()));
}

function costOfCall({ model, charged }: NetworkCall): Cost {
  if (charged === undefined) return { ...noCost, calls: 1 };
  const price = priceOf(model, scriptedPrices);
  const tokens = charged.inputTokens + charged.outputTokens;
  return { nanoUsd: price === undefined ? 0 : costOf(charged, price), tokens, calls: 1 };
}

export function resolvedRun(
  plan: SimulationPlan,
  world: ReturnType<typeof hiddenRuleWorld>,
  capUsd: number | undefined,
): Resolved {
  const { epochs, batchSize, minibatchSize, maxPendingShare, gate, seed } = plan;
  const { target, optimizer } = scriptedModels;
  return {
    settings: {
      ...paperSettings,
      ...gate,
      epochs,
      batchSize,
      minibatchSize,
      maxPendingShare,
      seed,
      editBudget: 2,
      minEditBudget: 1,
    },
    skill: singleFileSkill(world.seedSkill(1)),
    skillPath: "SKILL.md",
    splits: world.splits(plan.tasks),
    models: { target, optimizer, judge: optimizer, miner: optimizer },
    modelObjects: new Map(),
    prices: scriptedPrices,
    environment: chatEnvironment,
    spend: capUsd === undefined ? {} : { usd: capUsd },
    concurrency: plan.concurrency,
    journalDir: "",
    offline: false,
    snapshots: false,
    guesses: [],
    notes: [],
  };
}
