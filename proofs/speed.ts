import { availableParallelism } from "node:os";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { proveLargeRun } from "./speed/large-run.ts";
import { proveJournal } from "./speed/open-journal.ts";
import { proveOverhead } from "./speed/overhead.ts";
import { proveRounds } from "./speed/rounds.ts";

export const claim =
  "A training step is a chain of at most 5 dependent calls, and one seed gives one result on 10 runs. With its journal on disk, the stack reaches 0.8× the rate of bare generateText, and a whole run takes at most 1.10× its bare calls. A journal of a million results opens in 200 ms and finds any of them in a millisecond. A run of 2,000 val tasks × 40 candidates shows its first chart within 1.5 s and scrolls with no frame over 100 ms. Its file stays within 20 MB.";

const parts: Readonly<Record<string, (options: ProofOptions) => Promise<ProofResult>>> = {
  rounds: proveRounds,
  overhead: proveOverhead,
  journal: proveJournal,
  largeRun: proveLargeRun,
};

/** Options: `--only part`, `--seed n`, `--repeats n`, `--units n`, `--rounds n`, `--results n`. */
export default async function proveSpeed(options: ProofOptions): Promise<ProofResult> {
  const { log, args } = options;
  const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined;
  log(`scripted servers run in their own process (${availableParallelism()} cores)`);
  const results: (readonly [string, ProofResult])[] = [];
  for (const [name, prove] of Object.entries(parts)) {
    if (only !== undefined && only !== name) continue;
    log("");
    log(`${name}:`);
    results.push([name, await prove(options)]);
  }
  return {
    ok: results.every(([, { ok }]) => ok),
    onlyLate: results.every(([, { ok, onlyLate = false }]) => ok || onlyLate),
    figures: Object.fromEntries(results.map(([name, { figures }]) => [name, figures])),
  };
}
