// node prune-worker.ts <noise> <val> <first seed> <step> <last seed>: one line for each pruning.
import { runPruning } from "./prune-run.ts";

const [noise = 0.2, val = 80, first = 1, step = 1, last = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed <= last; seed += step) {
  process.stdout.write(`${JSON.stringify(await runPruning(seed, { noise, val }))}\n`);
}
