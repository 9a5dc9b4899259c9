import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryJournal } from "../src/adapters/journals/memory.ts";
import type { RunEvent } from "../src/core/events.ts";
import type { TrainSettings } from "../src/core/settings.ts";
import { perform } from "../src/run/verbs/perform.ts";
import { trainVerb } from "../src/run/verbs/train.ts";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { filesIn } from "./support/look-at-folder.ts";
import { scriptedRun } from "./support/scripted-run.ts";
import { tempDir } from "./support/temp-dir.ts";

const world = hiddenRuleWorld({ seed: 5, rules: 6, noise: 0.1 });
const shape = {
  epochs: 3,
  batchSize: 8,
  minibatchSize: 4,
  slowUpdate: true,
  metaSkill: true,
  baselines: true,
};

async function trainOnce(settings: Partial<TrainSettings>, worksAhead: boolean, held: number) {
  await using server = await startScriptedServer({ seed: 5, world });
  const dir = await tempDir();
  const splits = world.splits({ train: 16, val: 12, test: 8 });
  const skill = world.seedSkill(held);
  const rest = { journalDir: dir };
  const resolved = scriptedRun({ url: server.url, skill, splits, settings: { ...shape, ...settings }, rest });
  const order: string[] = [];
  const onEvent = (event: RunEvent) => {
    if (event.type === "step-start" || event.type === "step-end") order.push(`${event.type} ${event.step}`);
  };
  const run = await perform(trainVerb(resolved, { worksAhead }), { journal: await memoryJournal(), onEvent });
  // those of times, and those that are made of events
  const names = filesIn(run.folder).filter((name) => !/timing\.json$|events\.jsonl$|report\./.test(name));
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(run.folder, name), "utf8")]));
  return { files, order, steps: run.summary.steps };
}

test.each([
  { gate: "rules", lag: 1 },
  { gate: "rules", lag: 0 },
  { gate: "strict", lag: 0 },
  { gate: "off", lag: 0 },
] as const)(
  "a training writes the same bytes without work ahead (gate $gate, lag $lag)",
  async (settings) => {
    const [ahead, plain] = [await trainOnce(settings, true, 2), await trainOnce(settings, false, 2)];
    expect(Object.keys(ahead.files).length).toBeGreaterThan(20);
    expect(plain.files).toEqual(ahead.files);
    // with a lag, step 2 begins before step 1 ends; without work ahead everything waits for its turn
    expect(ahead.order[1]).toBe(settings.lag === 1 ? "step-start 2" : "step-end 1");
    expect(plain.order[1]).toBe("step-end 1");
  },
);

test("a search that ends at once writes the same bytes without work ahead", async () => {
  const settings = { gate: "rules", lag: 1 } as const;
  const [ahead, plain] = [await trainOnce(settings, true, 6), await trainOnce(settings, false, 6)];
  expect(ahead.steps).toBe(0);
  expect(plain.files).toEqual(ahead.files);
});
