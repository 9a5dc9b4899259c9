// node unit-worker.ts <redis> <journal> <concurrency>: a worker for units that wait.
import { postgresJournal } from "../../src/ports.ts";
import { fleetSeal } from "../../src/adapters/fleet/fleet-seal.ts";
import { fleetWorker } from "../../src/adapters/fleet/fleet-worker.ts";
import { readEnv } from "../../src/config/env.ts";
import { readFleetSecret } from "../../src/config/trust/fleet-secret.ts";
import { systemClock } from "../../src/run/session/system-clock.ts";
import { waitingHandlers } from "./waiting-unit.ts";

const [redis = "", url = "", concurrency = "1"] = process.argv.slice(2);
await fleetWorker({
  redis,
  seal: fleetSeal(readFleetSecret(readEnv())),
  concurrency: Number(concurrency),
  clock: systemClock,
  hardSignal: new AbortController().signal,
  openRun: async () => {
    const journal = await postgresJournal({ url });
    return { handlers: waitingHandlers, journal, close: () => journal.close() };
  },
});
console.log("ready");
