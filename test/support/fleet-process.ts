// node fleet-process.ts <redis> <folder> <concurrency>: a worker whose units do what their names say.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createHandlers } from "../../src/core/work/handlers.ts";
import { sqliteJournal } from "../../src/adapters/journals/sqlite/sqlite.ts";
import { testHandler } from "./fleet-fixture.ts";
import { fleetWorker } from "../../src/adapters/fleet/fleet-worker.ts";
import { sealForTest } from "./fleet-sealing.ts";

const [redis = "", dir = "", concurrency = "1"] = process.argv.slice(2);
const note = (word: string) => appendFileSync(join(dir, "log"), `${process.pid} ${word}\n`);

/** `block 3000 …` computes without a pause, `sleep 300 …` waits, `crash …` ends the process as a full memory does. */
const handler = testHandler(async (name) => {
  note(`begin ${name}`);
  const [verb, ms] = name.split(" ");
  if (verb === "crash") process.kill(process.pid, "SIGKILL");
  if (verb === "sleep") await sleep(Number(ms));
  if (verb === "block") {
    const until = Date.now() + Number(ms);
    while (Date.now() < until);
  }
  note(`end ${name}`);
  return String(process.pid);
});

const worker = await fleetWorker({
  redis,
  seal: sealForTest,
  concurrency: Number(concurrency),
  clock: { now: () => Date.now(), sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}) },
  lockMs: 1000,
  hardSignal: new AbortController().signal,
  openRun: async () => {
    const journal = await sqliteJournal({ dir });
    return { handlers: createHandlers([handler]), journal, close: () => journal.close() };
  },
});
process.on("SIGTERM", () => void worker.drain().then(() => note("drained")));
note("ready");
