import type { bullmqExecutor } from "../../src/adapters/executors/bullmq.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Unit } from "../../src/ports.ts";

/** A unit that only waits: what remains is the fleet itself. */
export const waitingUnit = (name: string, ms: number): Unit => ({
  kind: "wait",
  version: 1,
  // as long as a short prompt
  input: { name, ms, text: "x".repeat(1000) },
  draw: { purpose: "train", trial: 0 },
});

type Handlers = Parameters<typeof bullmqExecutor>[0]["handlers"];

export const waitingHandlers: Handlers = new Map([
  [
    "wait@1",
    {
      kind: "wait",
      version: 1,
      lane: () => "nobody/waits",
      worst: () => ({ nanoUsd: 1000, tokens: 100, calls: 1 }),
      async run(input) {
        const { ms } = input as { readonly ms: number };
        if (ms > 0) await sleep(ms);
        return { output: "x".repeat(300), cost: { nanoUsd: 100, tokens: 10, calls: 1 } };
      },
    },
  ],
]);
