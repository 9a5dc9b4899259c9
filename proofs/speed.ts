import { availableParallelism } from "node:os";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { proveLargeRun } from "./speed/large-run.ts";
import { proveJournal } from "./speed/open-journal.ts";
import { proveOverhead } from "./speed/overhead.ts";
import { proveRounds } from "./speed/rounds.ts";

export const claim =
  "a training step is a chain of 5 dependent calls at most, and one seed gives one result on 10 runs; with its journal on disk the stack reaches 0.8 x the rate of bare generateText, and a whole run takes 1.10 x its bare calls at most; a journal of a million results opens in 200 ms and finds any of them in a millisecond; a run of 2,000 val tasks × 40 candidates shows its first chart within 1.5 s, scrolls with no frame over 100 ms, and its file stays within 20 MB";

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
  log(`scripted servers have a process of their own (${availableParallelism()} cores)`);
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
