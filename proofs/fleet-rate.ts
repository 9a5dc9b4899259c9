import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { Queue, QueueEvents } from "bullmq";
import { Redis } from "ioredis";
import { openJournal, unitKey } from "../src/ports.ts";
import { openCoordinator } from "./fleet-rate/coordinator.ts";
import { waitingUnit } from "./fleet-rate/waiting-unit.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { cpuByProgram } from "./support/cpu-by-program.ts";
import { endProcess, fleetPlace } from "./support/fleet-place.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "empty units pass executor, workers and the PostgreSQL journal at 500 a second, and workers add up: 2 do 1.9 x, 4 do 3.7 x";

const concurrency = 100;
const least = { rate: 500, two: 1.9, four: 3.7 };
/** Units at a time of each worker in the second part, so that four of them are no load for two cores. */
const slots = 10;

export default async function fleetRate({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const count = numberOption(args, "units", short ? 2000 : 20_000);
  const rounds = numberOption(args, "rounds", short ? 3 : 5);
  using folder = temporaryDirectory("fleet-rate");
  await using place = await fleetPlace();
  const journal = await openJournal({ journalDir: folder.path, journalUrl: place.journal });
  const { url } = place.redis;

  log(`A. ${count} empty units a round, 2 worker processes, ${concurrency} at a time each: units per second`);
  log("round  whetstone + PostgreSQL  bare BullMQ");
  const cpu = new Map<string, number>();
  const rows: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const row = { ours: await measureOurs(round), bare: await measureBare(round) };
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
    `what holds it: ${total.toFixed(2)} ms of processor time per unit (${used.map(([program, ms]) => `${program} ${ms.toFixed(2)}`).join(", ")}), so ${(1000 / total).toFixed(0)} a second for each core that it gets`,
  );

  log("");
  log(`B. units of 200 ms, ${slots} at a time per worker: units per second`);
  const scaled: number[] = [];
  for (const workers of [1, 2, 4]) {
    const started = await Promise.all(range(workers).map(() => start("unit-worker.ts", slots)));
    await using coordinator = await openCoordinator(url, journal, `scale-${workers}`, slots * workers);
    // the limit opens with the first success, and every worker has taken something
    await coordinator.rate(3 * slots * workers, 200);
    const rate = await coordinator.rate(slots * workers * (short ? 40 : 100), 200);
    const [one = rate] = scaled;
    log(
      `  ${workers} workers  ${rate.toFixed(1)} (${(rate / one).toFixed(2)} x; at best ${slots * workers * 5})`,
    );
    scaled.push(rate);
    await Promise.all(started.map((child) => endProcess(child)));
  }
  await journal.close();
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

  async function measureOurs(round: number): Promise<number> {
    const workers = await Promise.all([
      start("unit-worker.ts", concurrency),
      start("unit-worker.ts", concurrency),
    ]);
    try {
      await using coordinator = await openCoordinator(url, journal, `rate-${round}`, 2 * concurrency);
      await coordinator.rate(200, 0);
      const before = cpuByProgram();
      const rate = await coordinator.rate(count, 0);
      for (const [program, ms] of cpuByProgram()) {
        const used = ms - (before.get(program) ?? 0);
        cpu.set(program, (cpu.get(program) ?? 0) + (round === 0 ? 0 : used / (count * rounds)));
      }
      return rate;
    } finally {
      await Promise.all(workers.map((child) => endProcess(child)));
    }
  }

  async function measureBare(round: number): Promise<number> {
    const workers = await Promise.all([
      start("bare-worker.ts", concurrency),
      start("bare-worker.ts", concurrency),
    ]);
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
    const units = range(count).map((index) => waitingUnit(`${round} ${index}`, 0));
    await queue.addBulk(
      units.map((unit) => ({
        name: "unit",
        data: { unit },
        opts: { jobId: `b-${unitKey(unit)}`, removeOnComplete: true },
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

  async function start(script: string, most: number): Promise<ChildProcess> {
    const path = join(import.meta.dirname, "fleet-rate", script);
    const child = spawn(process.execPath, [path, url, place.journal, String(most)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
    return child;
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const round2 = (value: number): number => Math.round(value * 100) / 100;
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
