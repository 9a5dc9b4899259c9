// node gate-worker.ts <worker> <workers> <seed> <short: 0 or 1> <cells>: every <workers>-th cell, one line each.
import { planJobs, runJob } from "./gate-jobs.ts";

const [worker = 0, workers = 1, seed = 1, short = 0, cells = 0] = process.argv.slice(2).map(Number);
planJobs(short === 1)
  .slice(0, cells)
  .forEach((job, at) => {
    if (at % workers === worker) process.stdout.write(`${JSON.stringify(runJob(job, seed))}\n`);
  });
