// node gate-worker.ts <worker> <workers> <seed> <decisions> <cells>: every <workers>-th cell, one line each.
import { planJobs, runJob } from "./gate-jobs.ts";

const [worker = 0, workers = 1, seed = 1, decisions = 0, cells = 0] = process.argv.slice(2).map(Number);
planJobs(decisions)
  .slice(0, cells)
  .forEach((job, at) => {
    if (at % workers === worker) process.stdout.write(`${JSON.stringify(runJob(job, seed))}\n`);
  });
