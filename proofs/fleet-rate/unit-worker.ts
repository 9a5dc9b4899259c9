// node unit-worker.ts <redis> <journal> <concurrency>: a worker for units that wait.
import { fleetWorker } from "../../src/adapters/fleet/fleet-worker.ts";
import { postgresJournal } from "../../src/adapters/journals/postgres.ts";
import { systemClock } from "../../src/run/system-clock.ts";
import { waitingHandlers } from "./waiting-unit.ts";

const [redis = "", url = "", concurrency = "1"] = process.argv.slice(2);
await fleetWorker({
  redis,
  concurrency: Number(concurrency),
  clock: systemClock,
  hardSignal: new AbortController().signal,
  openRun: async () => {
    const journal = await postgresJournal({ url });
    return { handlers: waitingHandlers, journal, close: () => journal.close() };
  },
});
console.log("ready");
