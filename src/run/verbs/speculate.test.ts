import { perform } from "./perform.ts";
import { expect, onTestFinished, test } from "vitest";
import { readExport } from "../../../test/support/kill-run.ts";
import { scriptedRun } from "../../../test/support/scripted-run.ts";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { RunEvent } from "../../core/events.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { readEvents } from "../../report/run-state.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import type { TrainSettings } from "../../core/settings.ts";
import { trainVerb } from "./train.ts";

const world = hiddenRuleWorld({ seed: 5, rules: 8 });
const splits = world.splits({ train: 40, val: 24, test: 12 });

/** A run against a server of its own, slow enough that there is something to overlap. */
async function office(settings: Partial<TrainSettings> = {}) {
  const server = await startScriptedServer({
    seed: 5,
    world,
    latency: (model) => ({ kind: "fixed", ms: model === "optimizer-1" ? 20 : 5 }),
  });
  onTestFinished(() => server.close());
  const dir = await tempDir();
  const journal = await sqliteJournal({ dir });
  onTestFinished(() => journal.close());
  const events: RunEvent[] = [];
  const run = async (rest: Partial<Resolved>, signal?: AbortSignal) => {
    const resolved = scriptedRun({
      url: server.url,
      skill: world.seedSkill(2),
      splits,
      settings: { epochs: 3, batchSize: 10, minibatchSize: 4, ...settings },
      rest: { journalDir: dir, out: `${dir}/export`, ...rest },
    });
    const trained = await perform(trainVerb(resolved), {
      journal,
      signal,
      onEvent: (event) => events.push(event),
    });
    return { ...trained, files: readExport(`${dir}/export`) };
  };
  return { server, journal, run, events };
}

const gates: readonly Partial<TrainSettings>[] = [
  { gate: "strict" },
  { gate: "filter", slowUpdate: true, metaSkill: true, baselines: true },
  { gate: "paired", stopEarly: true, attempts: 2 },
  { gate: "off" },
];

test.each(gates)("running ahead changes no byte of what a run writes: %o", async (settings) => {
  const plain = await office(settings);
  const { files } = await plain.run({});
  const { server, journal, run } = await office(settings);
  const ahead = await run({ speculate: 0.5 });
  expect(ahead.files).toEqual(files);
  const { results, unused, wasted } = ahead.ahead ?? { results: 0, unused: 0, wasted: { calls: 0 } };
  expect(results).toBeGreaterThan(0);
  // nothing is bought twice: all that was bought beside a plain run is what turned out not to be needed
  expect(server.callCount - plain.server.callCount).toBe(unused);
  expect(wasted.calls).toBe(unused);
  expect((await readLedger(journal.read({ run: ahead.id }))).spent).toEqual(ahead.spent);
});

test("the waste stays near its share of the spend", async () => {
  const { run } = await office({ gate: "strict" });
  const { ahead, spent } = await run({ speculate: 0.1 });
  expect(ahead?.results).toBeGreaterThan(0);
  // a call under way counts at the average price of its role, so a dear one can go a little over
  expect(ahead?.wasted.nanoUsd).toBeLessThan(0.12 * spent.nanoUsd);
});

test("a cap stops a run that runs ahead where it stops any, and raising it ends in the same files", async () => {
  const plain = await office({ gate: "strict" });
  const { files, spent } = await plain.run({});
  const { run, journal } = await office({ gate: "strict" });
  const calls = Math.round(spent.calls / 2);
  await expect(run({ speculate: 0.5, spend: { calls } })).rejects.toMatchObject({ code: "spend-cap" });
  const ended = await run({ speculate: 0.5 });
  expect(ended.files).toEqual(files);
  expect((await readLedger(journal.read({ run: ended.id }))).spent).toEqual(ended.spent);
});

test("stopped and started again, it ends in the same files, and all waste is counted", async () => {
  const plain = await office({ gate: "strict" });
  const { files } = await plain.run({});
  const { run, server } = await office({ gate: "strict" });
  const stop = new AbortController();
  const watch = setInterval(() => server.callCount > 120 && stop.abort(), 1);
  await expect(run({ speculate: 0.5 }, stop.signal)).rejects.toMatchObject({ code: "interrupted" });
  clearInterval(watch);
  const ended = await run({ speculate: 0.5 });
  expect(ended.files).toEqual(files);
  expect(server.callCount - plain.server.callCount).toBe(ended.ahead?.unused);
});

test("who watches sees every stage count what it used, and the spend that was booked", async () => {
  const { run, events } = await office({ gate: "strict" });
  let most = 0;
  const { ahead } = await run({ speculate: 0.5 });
  const seen: RunEvent[] = [];
  for (const event of events) {
    seen.push(event);
    if (event.type !== "stage-end") continue;
    const { rollout } = readEvents(seen)?.stages ?? {};
    most = Math.max(most, rollout?.done ?? 0);
  }
  expect(most).toBe(10);
  const state = readEvents(events);
  // the first ten replies are asked for by themselves, and found again by their stages
  expect(state?.fromJournal).toBeLessThan(10 + 12);
  expect(state?.bought).toBe(state?.spent.calls);
  expect(state?.ahead).toEqual(ahead);
});

test.each([
  [{ target: "handoff/me" }, "handoff/me answers whenever it likes"],
  [{ optimizer: "batch/openai/gpt-5.4" }, "batch/openai/gpt-5.4 answers whenever it likes"],
  [
    { environment: async () => ({ kind: "invalid", reason: "not called" }) as const },
    "an environment of your own",
  ],
])("where running ahead makes no sense it is refused: %o", async (config, sentence) => {
  const resolving = resolveConfig(
    {
      skill: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(2) } },
      tasks: splits,
      target: "office/target",
      optimizer: "office/optimizer",
      baseURL: "http://127.0.0.1:9",
      speculate: 0.2,
      ...config,
    },
    { cwd: await tempDir(), env: { OPENAI_API_KEY: "none" } },
  );
  await expect(resolving).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining(sentence),
  });
});
