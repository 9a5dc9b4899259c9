import type { ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../src/index.ts";
import { type Cost, type Ledger, openJournal, readLedger } from "../src/ports.ts";
import { type ScriptedServer, startScriptedServer } from "../src/testing/index.ts";
import { numberOption, type ProofOptions, type ProofResult } from "./proof.ts";
import { endProcess, type FleetPlace, fleetPlace, fleetSecret } from "./support/fleet-place.ts";
import { countCalls } from "./support/kill-journal.ts";
import { changedFiles, lookAtFolder } from "../test/support/look-at-folder.ts";
import { deskName, writeDesk } from "./support/parcel-desk.ts";
import { deskWorld } from "./support/parcel-desk-world.ts";
import { processesWith } from "./support/processes-with.ts";
import { runCli } from "./support/run-cli.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "Two workers train a skill folder for a real agent, and one of them is killed. The bytes are the same as in one process, each call is booked, and nothing is left behind.";

/** Options: `--seed n`, `--target agent/model`. */
export default async function fleetAgents({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const named = args[args.indexOf("--target") + 1] ?? "";
  const targets = args.includes("--target") ? [named] : short ? all.slice(0, 1) : all;
  await using place = await fleetPlace();
  await using server = await startScriptedServer({ seed, world: deskWorld({ seed }) });
  log(
    `seed ${seed}; ${deskName}, a folder with references, a script and an asset; each task has a file and is`,
  );
  log(
    "graded by a command; agent and grader in the sandbox of their worker, all models scripted on loopback",
  );
  const figures: Record<string, Figures> = {};
  let ok = true;
  for (const target of targets) {
    log("");
    const { broken, ...seen } = await compare(
      { seed, target, place, server, split: short ? [3, 3, 1] : [8, 6, 1] },
      log,
    );
    for (const name of broken) log(`NOT: ${name}`);
    ok &&= broken.length === 0;
    figures[target] = seen;
  }
  return { ok, figures: { seed, ...figures } };
}

/** A coding agent that starts quickly, and one that does not. */
const all = ["pi/local/scripted", "claude-code/claude-sonnet-4-5"];

interface Case {
  readonly seed: number;
  readonly target: string;
  readonly place: FleetPlace;
  readonly server: ScriptedServer;
  readonly split: readonly number[];
}

type Figures = {
  readonly results: number;
  readonly calls: number;
  readonly booked: number;
  readonly lost: number;
  readonly inFlight: number;
  readonly repeated: number;
  readonly leftRunning: number;
  readonly leftFolders: number;
};

async function compare(
  one: Case,
  log: (line: string) => void,
): Promise<Figures & { readonly broken: readonly string[] }> {
  const { target, place, server } = one;
  using root = temporaryDirectory("fa");
  const here = writeProject(join(root.path, "one"), one, { journal: "journal" });
  const there = writeProject(join(root.path, "many"), one, {
    executor: "bullmq",
    redis: place.redis.url,
    // its own database, so that it can't use results that an earlier target bought
    journal: place.postgres.createDatabase(),
  });
  const local = await train(here);
  log(`${target} in one process: ended with ${local.code}`);
  if (local.code !== 0) throw new Error(local.printed);

  const since = countCalls(server);
  const may = { env: there.env, allow: ["host=127.0.0.1", "key=PROOF_KEY"] };
  const workers = [await place.worker(64, may), await place.worker(64, may)];
  const ending = train(there);
  const death = await killOneOf(workers, there, since, ending);
  const fleet = await ending;
  log(`on two workers, one killed with ${death.inFlight.size} units in flight: ended with ${fleet.code}`);
  if (fleet.code !== 0) throw new Error(fleet.printed);
  const calls = sum(since());
  const repeated = repeatedUnits(since());
  const { results, doubled, ledger } = await readShared(there);
  const again = await train(there);
  const [said, later] = [saidSpent(fleet.printed), saidSpent(again.printed)];
  // they exit by themselves; everything they created must be gone then
  await Promise.all(workers.map((worker) => endProcess(worker, "SIGTERM")));
  // the cache of compiled code isn't a run's work
  const leftFolders = readdirSync(there.temporary).filter((name) => name !== "whetstone-compiled");
  const leftRunning = death.leftRunning + processesWith(there.temporary);
  const differing = changedFiles(artifacts(here), artifacts(there));
  log(
    `${results} results, ${doubled} keys with more than one; ${calls} model calls, of ${repeated.length} units again`,
  );
  log(
    `the ledger books ${ledger.spent.calls} calls; the outcome of ${ledger.lost} units and calls is unknown; the run said ${said.calls} calls, then ${later.calls}`,
  );
  log(`artifacts ${differing.length === 0 ? "identical" : `DIFFER: ${differing.join(", ")}`}`);
  log(`left: ${leftRunning} processes, ${leftFolders.length} folders ${leftFolders.join(", ")}`.trimEnd());

  const conditions: Readonly<Record<string, boolean>> = {
    "the artifacts are those of one process": differing.length === 0,
    "every unit has one result": doubled === 0 && results > 0,
    "the dead worker was running a rollout": death.running > 0,
    "only what was in flight was repeated": repeated.every((unit) => death.inFlight.has(unit)),
    "each call is booked": ledger.spent.calls >= calls && ledger.spent.calls <= calls + death.inFlight.size,
    "the run's spend matches the ledger": JSON.stringify(later) === JSON.stringify(ledger.spent),
    "the spend shown during the run is at least that": said.calls >= ledger.spent.calls,
    "rerunning the finished command buys nothing": again.code === 0 && sum(since()) === calls,
    "no process is left over": leftRunning === 0,
    "no folder is left over": leftFolders.length === 0,
  };
  return {
    results,
    calls,
    booked: ledger.spent.calls,
    lost: ledger.lost,
    inFlight: death.inFlight.size,
    repeated: repeated.length,
    leftRunning,
    leftFolders: leftFolders.length,
    broken: Object.keys(conditions).filter((name) => conditions[name] !== true),
  };
}

interface Project {
  readonly folder: string;
  /** Of the coordinator and its workers only. */
  readonly temporary: string;
  readonly journal: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The skill with its tasks and a config, as a person would have it. */
function writeProject(folder: string, { seed, target, server, split }: Case, own: Config): Project {
  // outside the project, because anyone could write a consent inside it
  const [home, temporary] = [`${folder}-home`, join(folder, "tmp")];
  for (const path of [home, temporary]) mkdirSync(path, { recursive: true });
  writeDesk(folder, { tasks: split.reduce((a, b) => a + b), judged: true, graded: true, seed });
  const [agent = ""] = target.split("/");
  const baseURL = `${server.url}/v1`;
  const config = {
    skill: `./${deskName}`,
    tasks: `./${deskName}/evals/evals.json`,
    target,
    optimizer: "scripted/optimizer-1",
    ...(agent === "agent" ? {} : { agents: { [agent]: { baseURL, apiKeyEnv: "PROOF_KEY" } } }),
    providers: { scripted: { baseURL } },
    prices: Object.fromEntries(
      ["scripted/optimizer-1", "scripted/target", "local/scripted"].map((id) => [
        id,
        { input: 2, output: 10 },
      ]),
    ),
    split,
    epochs: 1,
    batchSize: split[0],
    editBudget: 6,
    schedule: "constant",
    trials: 1,
    baselines: false,
    evalTest: false,
    out: "out",
    spend: { usd: 50 },
    ...own,
  };
  writeFileSync(join(folder, "whetstone.config.json"), `${JSON.stringify(config, null, 2)}\n`);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, TMPDIR: temporary, PROOF_KEY: "sk-proof-of-the-host", ...fleetSecret };
  return { folder, temporary, journal: String(own.journal), env };
}

async function train({ folder: cwd, env }: Project) {
  // the config names a database and a queue, which are the person's to allow
  await runCli(["trust", "--yes"], { cwd, env });
  return runCli(["train", "--json"], { cwd, env });
}

/** Preflight, calibration of the judge and the first rollouts are over by then. */
const enoughCalls = 40;

interface Death {
  /** Processes of its boxes when it was killed. */
  readonly running: number;
  /** Units that a model had been asked for and that had no result. */
  readonly inFlight: ReadonlySet<string>;
  /** Of its boxes, seconds later. */
  readonly leftRunning: number;
}

/** Sends SIGKILL to the first worker that runs an agent, once there were enough calls. */
async function killOneOf(
  workers: readonly ChildProcess[],
  project: Project,
  asked: () => ReadonlyMap<string, number>,
  ending: Promise<unknown>,
): Promise<Death> {
  let over = false;
  void ending.then(() => {
    over = true;
  });
  for (;;) {
    await sleep(20);
    if (over) throw new Error("the training ended before a worker could be killed");
    // the folders of a process carry its number, and so do the command lines of its boxes
    const boxes = workers.map((busy) => ({ busy, running: processesWith(`-${busy.pid}-`) }));
    const found = sum(asked()) >= enoughCalls ? boxes.find(({ running }) => running > 0) : undefined;
    if (found === undefined) continue;
    const { busy, running } = found;
    await endProcess(busy);
    const { keys } = await readShared(project);
    const inFlight = new Set(unitsOf(asked()).filter((unit) => !keys.has(unit)));
    for (let tries = 0; tries < 100 && processesWith(`-${busy.pid}-`) > 0; tries += 1) await sleep(100);
    return { running, inFlight, leftRunning: processesWith(`-${busy.pid}-`) };
  }
}

interface Shared {
  readonly results: number;
  readonly doubled: number;
  readonly keys: ReadonlySet<string>;
  readonly ledger: Ledger;
}

/** Contents of the fleet's journal. */
async function readShared({ folder, journal: url }: Project): Promise<Shared> {
  const journal = await openJournal({ journalDir: folder, journalUrl: url });
  try {
    const perKey = new Map<string, number>();
    for await (const { key } of journal.read({ kinds: ["result"] }))
      perKey.set(key, (perKey.get(key) ?? 0) + 1);
    const doubled = [...perKey.values()].filter((count) => count !== 1).length;
    const ledger = await readLedger(journal.read());
    return { results: perKey.size, doubled, keys: new Set(perKey.keys()), ledger };
  } finally {
    await journal.close();
  }
}

/** From the last event of a run. */
function saidSpent(printed: string): Cost {
  const line = printed.split("\n").findLast((one) => one.includes('"run-end"')) ?? "{}";
  const { cost = { nanoUsd: -1, tokens: -1, calls: -1 } } = JSON.parse(line) as { readonly cost?: Cost };
  return cost;
}

/** The key of an agent's n-th call is that of its unit and a number. */
const unitOf = (key: string): string => key.replace(/[:-]\d+$/, "");

const unitsOf = (asked: ReadonlyMap<string, number>): readonly string[] => [
  ...new Set([...asked.keys()].map(unitOf)),
];

const repeatedUnits = (asked: ReadonlyMap<string, number>): readonly string[] =>
  unitsOf(new Map([...asked].filter(([, times]) => times > 1)));

const sum = (asked: ReadonlyMap<string, number>): number => [...asked.values()].reduce((a, b) => a + b, 0);

/** All but those that contain times. */
function artifacts({ folder }: Project): ReadonlyMap<string, string> {
  const timed = new Set(["timing.json", "report.html", "report.json"]);
  return new Map([...lookAtFolder(join(folder, "out"))].filter(([path]) => !timed.has(path)));
}
