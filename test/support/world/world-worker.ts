// node world-worker.ts <first seed> <step> <last seed>: both gates on each seed, one line for each search.
import { runSearch } from "./world-run.ts";

const [first = 1, step = 1, last = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed <= last; seed += step) {
  for (const gate of ["strict", "rules"] as const) {
    process.stdout.write(`${JSON.stringify(await runSearch(seed, gate))}\n`);
  }
}
// sockets of the last server may linger
process.exit(0);
