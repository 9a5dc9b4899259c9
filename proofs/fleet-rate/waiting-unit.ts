import { setTimeout as sleep } from "node:timers/promises";
import type { Unit } from "../../src/ports.ts";
import { type Handlers, createHandlers } from "../../src/core/work/handlers.ts";

/** A unit that only waits: what remains is the fleet itself. */
export const waitingUnit = (name: string, ms: number): Unit => ({
  kind: "wait",
  version: 1,
  // as long as a short prompt
  input: { name, ms, text: "x".repeat(1000) },
  draw: { purpose: "train", trial: 0 },
});

export const waitingHandlers: Handlers = createHandlers([
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
]);
