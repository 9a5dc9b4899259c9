// node bare-worker.ts <redis> <concurrency>: BullMQ alone, with the same payload and no journal.
import { Worker } from "bullmq";
import { Redis } from "ioredis";

const [redis = "", concurrency = "1"] = process.argv.slice(2);
const worker = new Worker(
  "bare",
  async () => ({ budget: { version: 1, booked: { nanoUsd: 0, tokens: 0, calls: 0 } } }),
  {
    connection: new Redis(redis, { maxRetriesPerRequest: null }),
    concurrency: Number(concurrency),
  },
);
await worker.waitUntilReady();
console.log("ready");
