// node unit-worker.ts <redis> <journal> <concurrency>: a worker for units that wait.
import { postgresJournal } from "../../src/ports.ts";
import { fleetSeal } from "../../src/adapters/fleet/fleet-seal.ts";
import { fleetWorker } from "../../src/adapters/fleet/fleet-worker.ts";
import { fastClock } from "../support/fast-clock.ts";
import { waitingHandlers } from "./waiting-unit.ts";

const [redis = "", url = "", concurrency = "1"] = process.argv.slice(2);
await fleetWorker({
  redis,
  seal: fleetSeal(process.env["WHETSTONE_FLEET_SECRET"] ?? ""),
  concurrency: Number(concurrency),
  clock: fastClock(1),
  hardSignal: new AbortController().signal,
  openRun: async () => {
    const journal = await postgresJournal({ url });
    return { handlers: waitingHandlers, journal, close: () => journal.close() };
  },
});
console.log("ready");
