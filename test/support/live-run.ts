import { onTestFinished } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { Journal } from "../../src/core/ports/journal.ts";
import { noCost } from "../../src/core/cost.ts";

/** What a training writes down, one event at a time. The journal is closed with the test. */
export async function openLiveRun(
  journal: Journal,
  { run, folder, steps }: { readonly run: string; readonly folder: string; readonly steps: number },
) {
  onTestFinished(() => journal.close());
  let seq = 0;
  const emit = async (name: string, body: object = {}) => {
    seq += 1;
    const entry = { v: 1, seq, at: 1000 + seq, ...body } as unknown as JsonObject;
    await journal.write({ kind: "event", run, key: "", name, body: entry });
  };
  await emit("run-start", liveStart(folder, steps));
  return { emit };
}

export const liveStart = (folder: string, steps = 2): object => ({
  command: "train",
  skill: "SKILL.md",
  models: { target: "office/target" },
  tasks: { train: 1, val: 1, test: 1 },
  steps,
  resumed: 0,
  finished: false,
  spent: noCost,
  folder,
  settings: {},
});
