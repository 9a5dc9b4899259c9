import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../src/index.ts";
import { type Cost, openJournal, readLedger } from "../src/ports.ts";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { endProcess, fleetPlace } from "./support/fleet-place.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "Workers, coordinator, Redis and PostgreSQL may die: every unit has one result, little is repeated, and the artifacts are the same as from one process.";

const slots = 5;
const workerCount = 4;
const cli = join(import.meta.dirname, "../src/apps/cli/main.ts");

export default async function fleetKill({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const units = numberOption(args, "units", short ? 1000 : 2000);
  const everyMs = numberOption(args, "every", short ? 1500 : 3000);
  // both arms of a pair are one job: half of the tasks are as many units
  const isCompared = args.includes("--pairs");
  const words = isCompared ? ["compare", "BEFORE.md", "SKILL.md", "--on", "val", "--trials", "1"] : ["eval"];
  const world = hiddenRuleWorld({ seed });
  using here = temporaryDirectory("fleet-kill-local");
  using there = temporaryDirectory("fleet-kill");
  await using place = await fleetPlace();
  await using server = await startScriptedServer({
    seed,
    world,
    latency: { kind: "fixed", ms: 200 },
    record: false,
  });
  const splits = world.splits({ train: 1, val: isCompared ? units / 2 : units, test: 0 });
  const config: Config = {
    target: "office/target",
    optimizer: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 1_000_000 },
    concurrency: slots * workerCount,
    out: "out",
  };
  // typed, because addresses in a file would need consent
  const shared = [...words, "--redis", place.redis.url, "--journal", place.journal];
  for (const [folder, written] of [
    [here.path, config],
    [there.path, { ...config, executor: "bullmq" }],
  ] as const) {
    writeFileSync(join(folder, "SKILL.md"), world.seedSkill(4));
    writeFileSync(join(folder, "BEFORE.md"), world.seedSkill(3));
    writeFileSync(join(folder, "train.jsonl"), lines(splits.train));
    writeFileSync(join(folder, "val.jsonl"), lines(splits.val));
    const tasks = { train: "train.jsonl", val: "val.jsonl" };
    writeFileSync(
      join(folder, "whetstone.config.json"),
      JSON.stringify({ ...written, skill: "SKILL.md", tasks }),
    );
  }
  log(`seed ${seed}; ${units} units of 200 ms, ${workerCount} workers of ${slots} units each`);
  const local = await start([...words, "--journal", "journal"], here.path).ended;
  if (local.code !== 0) throw new Error(`the run in one process ended with ${local.code}: ${local.text}`);
  log(`in one process: ${server.callCount} calls`);
  const before = server.callCount;

  const workers = await Promise.all(Array.from({ length: workerCount }, () => place.worker(slots)));
  const started = performance.now();
  let atRisk = 0;
  let kills = 0;
  let run = start(shared, there.path);
  const events: (() => Promise<void>)[] = [
    killWorker,
    restartRedis,
    killWorker,
    killCoordinator,
    killWorker,
    restartPostgres,
    killWorker,
    killCoordinator,
  ];
  let last = { code: null as number | null, text: "" };
  const driving = (async () => {
    for (;;) {
      const current = run;
      last = await current.ended;
      if (current === run) return true;
    }
  })();
  let happened = 0;
  for (;;) {
    const isDone = await Promise.race([sleep(everyMs, false), driving]);
    if (isDone) break;
    await (events[happened] ?? killWorker)();
    happened += 1;
  }
  const seconds = (performance.now() - started) / 1000;
  log(`on the fleet: ended with ${last.code} after ${seconds.toFixed(1)} s, ${kills} workers killed`);

  const journal = await openJournal({ journalDir: there.path, journalUrl: place.journal });
  const perKey = new Map<string, number>();
  for await (const { key } of journal.read({ kinds: ["result"] }))
    perKey.set(key, (perKey.get(key) ?? 0) + 1);
  const ledger = await readLedger(journal.read());
  await journal.close();
  const calls = server.callCount - before;
  const repeats = calls - before;
  const doubled = [...perKey.values()].filter((count) => count !== 1).length;
  const isSame = sameFiles(join(here.path, "out"), join(there.path, "out"));
  log(
    `${perKey.size} results for ${before} units, ${doubled} with more than one; artifacts ${isSame ? "identical" : "DIFFER"}`,
  );
  log(
    `${calls} calls at the server, ${repeats} repeated (at most ${atRisk} were in flight when something died)`,
  );
  log(`the ledger books ${ledger.spent.calls} calls, ${ledger.lost} of them lost`);
  const done = await start(shared, there.path).ended;
  const [said, later] = [spentCalls(last.text), spentCalls(done.text)];
  log(`the run said that ${said} calls are spent, and ${later} when asked again`);
  return {
    ok:
      last.code === 0 &&
      // a quick run may end before the second round of deaths; each kind happened at least once
      happened > events.indexOf(restartPostgres) &&
      perKey.size === before &&
      doubled === 0 &&
      isSame &&
      repeats <= atRisk &&
      // a call that is still in flight when the run ends counts at worst case
      said >= ledger.spent.calls &&
      said <= ledger.spent.calls + atRisk &&
      later === ledger.spent.calls &&
      ledger.spent.calls >= calls,
    figures: {
      seed,
      units,
      seconds: Math.round(seconds),
      kills,
      results: perKey.size,
      repeats,
      atRisk,
      lost: ledger.lost,
    },
  };

  async function killWorker(): Promise<void> {
    const [oldest] = workers.splice(0, 1);
    if (oldest === undefined) return;
    log("  a worker is killed and another one started");
    atRisk += slots;
    kills += 1;
    await endProcess(oldest);
    workers.push(await place.worker(slots));
  }

  async function killCoordinator(): Promise<void> {
    log("  the coordinator is killed and started again");
    const dead = run;
    run = start(shared, there.path, endProcess(dead.child));
  }

  async function restartRedis(): Promise<void> {
    log("  Redis is killed and started again");
    atRisk += slots * workerCount;
    await place.redis.stop("SIGKILL");
    await place.redis.start();
  }

  async function restartPostgres(): Promise<void> {
    log("  PostgreSQL crashes and is started again");
    atRisk += slots * workerCount;
    await place.postgres.stop("immediate");
    await place.postgres.start();
  }
}

interface Evaluation {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
}

/** A command of `whetstone` in a folder. */
function start(
  words: readonly string[],
  cwd: string,
  after: Promise<unknown> = Promise.resolve(),
): Evaluation {
  const child = spawn(process.execPath, [cli, ...words, "--json"], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (data: Buffer) => {
    text = (text + String(data)).slice(-20_000);
  });
  child.stderr.on("data", (data: Buffer) => {
    text = (text + String(data)).slice(-20_000);
  });
  const ended = new Promise<{ code: number | null; text: string }>((resolve) => {
    child.once("close", (code) => void after.then(() => resolve({ code, text })));
  });
  return { child, ended };
}

/** From the last event of a run. */
function spentCalls(text: string): number {
  const line = text.split("\n").findLast((one) => one.includes('"run-end"')) ?? "{}";
  const { cost } = JSON.parse(line) as { readonly cost?: Cost };
  return cost?.calls ?? -1;
}

const lines = (rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join("\n");

/** All artifacts but those that contain times. */
function sameFiles(one: string, other: string): boolean {
  const timed = new Set(["timing.json", "report.html", "report.json"]);
  const read = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !timed.has(file.name))
      .map((file) => join(file.parentPath, file.name).slice(folder.length))
      .toSorted()
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]);
  return JSON.stringify(read(one)) === JSON.stringify(read(other));
}
