// An environment whose rollouts only wait, for as many milliseconds as the task's first word says: what remains is the fleet.
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../../src/ports.ts";

const waiting: Environment = {
  name: "waiting",
  version: "1",
  async run({ input }) {
    const ms = Number.parseInt(input);
    if (ms > 0) await sleep(ms);
    return { kind: "scored", hard: 1, soft: 1, feedback: "x".repeat(300), conversation: [] };
  },
};

export default waiting;
