// node worker.ts <worker> <workers> <seed> <runs> <short: 0 or 1>: every <workers>-th cell, one line each.
import { planDrift, runDriftCell } from "./cells.ts";

const [worker = 0, workers = 1, seed = 1, runs = 20, short = 0] = process.argv.slice(2).map(Number);
for (const [at, cell] of planDrift(short === 1).entries())
  if (at % workers === worker)
    process.stdout.write(`${JSON.stringify(await runDriftCell(cell, runs, seed))}\n`);
