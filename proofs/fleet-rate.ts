import { type ChildProcess, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { join } from "node:path";
import { Queue, QueueEvents } from "bullmq";
import { Redis } from "ioredis";
import { evaluate } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { cpuByProgram } from "./support/cpu-by-program.ts";
import { endProcess, fleetPlace } from "./support/fleet-place.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "Executor, workers and the PostgreSQL journal handle 500 empty rollouts a second, and throughput scales with workers: 2 reach 1.9×, 4 reach 3.7×.";

const concurrency = 100;
const least = { rate: 500, two: 1.9, four: 3.7 };
/** Parallel units per worker in the second part, few enough that four workers don't load two cores. */
const slots = 10;

export default async function fleetRate({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const count = numberOption(args, "units", short ? 2000 : 20_000);
  const rounds = numberOption(args, "rounds", short ? 3 : 5);
  using folder = temporaryDirectory("fleet-rate");
  await using place = await fleetPlace();
  await using server = await startScriptedServer({ seed: 1, world: { reply: () => ({ text: "ok" }) } });
  process.chdir(folder.path);
  const { url } = place.redis;

  log(
    `A. ${count} empty rollouts a round, 2 worker processes, ${concurrency} at a time each: units per second`,
  );
  log("round  whetstone + PostgreSQL  bare BullMQ");
  const cpu = new Map<string, number>();
  const rows: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const ours = await measureOurs(`rate-${round}`, 2, concurrency, { units: count, ms: 0 });
    if (round > 0)
      for (const [program, ms] of ours.cpu) cpu.set(program, (cpu.get(program) ?? 0) + ms / rounds);
    const row = { ours: ours.rate, bare: await measureBare(round) };
    log(
      `${(round === 0 ? "warm" : String(round)).padStart(5)}  ${row.ours.toFixed(0).padStart(22)}  ${row.bare.toFixed(0).padStart(11)}`,
    );
    if (round > 0) rows.push(row);
  }
  const ours = median(rows.map((row) => row.ours));
  const bare = median(rows.map((row) => row.bare));
  const used = [...cpu].toSorted(([, a], [, b]) => b - a).filter(([, ms]) => ms >= 0.005);
  const total = used.reduce((sum, [, ms]) => sum + ms, 0);
  log(
    `bottleneck: ${total.toFixed(2)} ms of CPU time per unit (${used.map(([program, ms]) => `${program} ${ms.toFixed(2)}`).join(", ")}), so ${(1000 / total).toFixed(0)} a second per core`,
  );

  log("");
  log(`B. units of 200 ms, ${slots} at a time per worker: units per second`);
  const scaled: number[] = [];
  for (const workers of [1, 2, 4]) {
    const { rate } = await measureOurs(`scale-${workers}`, workers, slots, {
      units: slots * workers * (short ? 40 : 100),
      ms: 200,
    });
    const [one = rate] = scaled;
    log(
      `  ${workers} workers  ${rate.toFixed(1)} (${(rate / one).toFixed(2)}×; at best ${slots * workers * 5})`,
    );
    scaled.push(rate);
  }
  const [one = 0, two = 0, four = 0] = scaled;
  const [twice, fourfold] = [two / one, four / one];
  return {
    ok: ours >= least.rate && twice >= least.two && fourfold >= least.four,
    onlyLate: true,
    figures: {
      unitsPerSecond: Math.round(ours),
      bareBullmqPerSecond: Math.round(bare),
      cpuMsPerUnit: Object.fromEntries(used.map(([program, ms]) => [program, round2(ms)])),
      twoWorkers: round2(twice),
      fourWorkers: round2(fourfold),
    },
  };

  /** Units per second of a whole evaluation, once every worker has taken some, and processor time of each, by program. */
  async function measureOurs(
    name: string,
    workers: number,
    each: number,
    { units, ms }: { readonly units: number; readonly ms: number },
  ) {
    const allow = ["host=127.0.0.1", `module=${waiting}`];
    const started = await Promise.all(range(workers).map(() => place.worker(each, { allow })));
    const first = 3 * workers * each;
    const before = cpuByProgram();
    const ends: number[] = [];
    // as long as a short prompt, and all different
    const row = (at: number) => ({
      id: `${at}`,
      input: `${ms} ${hash("sha512", `${at}`).repeat(8)}`,
      answers: ["x"],
    });
    await evaluate({
      skill: { main: "SKILL.md", files: { "SKILL.md": `Wait, ${name}.\n` } },
      tasks: { train: [row(-1)], val: range(first + units).map(row) },
      environment: waiting,
      target: "office/target",
      optimizer: "office/target",
      baseURL: `${server.url}/v1`,
      spend: { calls: 100_000_000 },
      concurrency: workers * each,
      executor: "bullmq",
      redis: url,
      journal: place.journal,
      onEvent: ({ type }) => void (type === "unit-end" && ends.push(performance.now())),
    });
    const cpu = [...cpuByProgram()].map(
      ([program, used]) => [program, (used - (before.get(program) ?? 0)) / (first + units)] as const,
    );
    await Promise.all(started.map((child) => endProcess(child)));
    return { rate: (1000 * units) / ((ends.at(-1) ?? 0) - (ends.at(-1 - units) ?? 0)), cpu };
  }

  async function measureBare(round: number): Promise<number> {
    const workers = await Promise.all([startBare(), startBare()]);
    const connection = new Redis(url, { maxRetriesPerRequest: null });
    const queue = new Queue("bare", { connection });
    const events = new QueueEvents("bare", { connection: connection.duplicate() });
    await events.waitUntilReady();
    let left = count;
    const started = performance.now();
    const ended = new Promise<void>((resolve) => {
      events.on("completed", () => {
        left -= 1;
        if (left === 0) resolve();
      });
    });
    await queue.addBulk(
      range(count).map((index) => ({
        name: "unit",
        data: { index, text: "x".repeat(1000) },
        opts: { jobId: `b-${round}-${index}`, removeOnComplete: true },
      })),
    );
    await ended;
    const rate = (1000 * count) / (performance.now() - started);
    await events.close();
    await queue.close();
    connection.disconnect();
    await Promise.all(workers.map((child) => endProcess(child)));
    return rate;
  }

  async function startBare(): Promise<ChildProcess> {
    const path = join(import.meta.dirname, "fleet-rate/bare-worker.ts");
    const child = spawn(process.execPath, [path, url, String(concurrency)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
    return child;
  }
}

const waiting = join(import.meta.dirname, "fleet-rate/waiting.ts");
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const round2 = (value: number): number => Math.round(value * 100) / 100;
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
