import { perform } from "./perform.ts";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scriptedRun } from "../../../test/support/scripted-run.ts";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { RunEvent } from "../../core/events.ts";
import { readEvents } from "../../report/run-state.ts";
import { readLedger } from "../../core/work/ledger.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Environment } from "../../core/tasks/environment.ts";
import { type ScriptedServer, hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { trainVerb } from "./train.ts";

const world = hiddenRuleWorld({ seed: 6, rules: 6 });
const splits = world.splits({ train: 24, val: 16, test: 12 });
const settings = { epochs: 2, batchSize: 12, minibatchSize: 4 };
let server: ScriptedServer;
let dir: string;
let journal: Journal;

beforeEach(async () => {
  server = await startScriptedServer({ seed: 3, world });
  dir = await mkdtemp(join(tmpdir(), "whetstone-train-"));
  journal = await sqliteJournal({ dir });
});

afterEach(async () => {
  await journal.close();
  await server.close();
  await rm(dir, { recursive: true });
});

const resolve = (rest: Partial<Resolved> = {}) =>
  scriptedRun({
    url: server.url,
    skill: world.seedSkill(2),
    splits,
    settings,
    rest: { journalDir: dir, ...rest },
  });

test("only the gate `rules` proposes before its verdict: others ask the same whatever the lag", async () => {
  const train = (lag: 0 | 1) => {
    const plain = resolve();
    const resolved = { ...plain, settings: { ...plain.settings, lag, evalTest: false } };
    return perform(trainVerb(resolved), { journal });
  };
  const { result } = await train(0);
  expect(result.best.step).toBeGreaterThan(0);
  const calls = server.callCount;
  expect((await train(1)).result.best).toEqual(result.best);
  expect(server.callCount).toBe(calls);
});

test("a run trains, writes its artifacts and never calls twice", async () => {
  const first = await perform(trainVerb(resolve()), { journal });
  expect(first.summary.steps).toBe(4);
  expect(first.summary.val.best).toBeGreaterThan(first.summary.val.baseline ?? 1);
  // the web app's file is there where the app is built
  const files = (await readdir(first.folder)).filter((name) => name !== "report.html");
  expect(files.toSorted()).toEqual([
    "best_skill.md",
    "config.json",
    "current_skill.md",
    "history.json",
    "proposal.json",
    "report.json",
    "selection_eval_baseline",
    "skills",
    "steps",
    "summary.json",
    "test_eval_baseline",
    "test_eval_best",
    "timing.json",
  ]);
  expect((await readdir(join(first.folder, "steps/step_0000"))).toSorted()).toEqual([
    "candidate_skill.md",
    "edit_apply_report.json",
    "merged_patch.json",
    "ranked_patch.json",
    "raw_patches.json",
    "rollout_results.json",
    "selection_eval",
    "step_record.json",
  ]);
  const calls = server.callCount;
  const second = await perform(trainVerb(resolve()), { journal });
  expect(second.finishedBefore).toBe(true);
  expect(server.callCount).toBe(calls);
  expect(second.summary).toEqual(first.summary);
});

test("spend in memory is the sum of the ledger and of what the server was asked", async () => {
  const { id, spent } = await perform(trainVerb(resolve()), { journal });
  const ledger = await readLedger(journal.read({ run: id }));
  expect(ledger.spent).toEqual(spent);
  expect(spent.calls).toBe(server.callCount);
  expect(ledger.lost).toBe(0);
});

test("an interrupted run resumes with the same result", async () => {
  const whole = await perform(
    trainVerb(resolve({ out: join(dir, "whole"), settings: { ...resolve().settings, fresh: "other" } })),
    {
      journal,
    },
  );
  const stop = new AbortController();
  let ends = 0;
  const onEvent = (event: RunEvent) => {
    if (event.type === "unit-end" && ++ends === 40) stop.abort();
  };
  await expect(
    perform(trainVerb(resolve()), { journal, signal: stop.signal, onEvent }),
  ).rejects.toMatchObject({
    code: "interrupted",
    exitCode: 130,
  });
  const before = server.callCount;
  const resumed = await perform(trainVerb(resolve()), { journal });
  expect(server.callCount).toBeGreaterThan(before);
  // `--fresh` asks the world again under other keys, so only the shape can be compared
  expect(resumed.summary.steps).toBe(whole.summary.steps);
  const keys = [...server.callsByKey.values()];
  expect(Math.max(...keys)).toBe(1);
});

test("a run is locked while another continues it", async () => {
  const first = perform(trainVerb(resolve()), { journal });
  await expect(perform(trainVerb(resolve()), { journal })).rejects.toMatchObject({ code: "run-locked" });
  await first;
});

test("a cap in money needs known prices, before the first call", async () => {
  await expect(
    perform(trainVerb(resolve({ prices: {}, spend: { usd: 1 } })), { journal }),
  ).rejects.toMatchObject({
    code: "price-unknown",
  });
  expect(server.callCount).toBe(0);
});

test("a recorded journal is a cassette: offline gives the same run, and a miss is an error", async () => {
  const first = await perform(trainVerb(resolve()), { journal });
  const calls = server.callCount;
  const again = await perform(trainVerb(resolve({ offline: true, out: join(dir, "offline") })), { journal });
  expect(again.summary).toEqual(first.summary);
  const other = resolve({ offline: true });
  await expect(
    perform(trainVerb({ ...other, settings: { ...other.settings, fresh: "unheard" } }), { journal }),
  ).rejects.toMatchObject({ code: "offline-miss" });
  expect(server.callCount).toBe(calls);
});

test("another run that uses the same results pays nothing for them and says that it uses them", async () => {
  const seen: RunEvent[] = [];
  const first = await perform(trainVerb(resolve()), { journal, onEvent: (event) => seen.push(event) });
  const counted = Object.entries(first.bought).filter(([role]) => role !== "total");
  expect(counted.map(([role, cost]) => [role, cost.calls])).toEqual(
    Object.entries(readEvents(seen)?.costs ?? {})
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([role, cost]) => [role, cost.calls]),
  );
  const calls = server.callCount;
  const other = resolve();
  const events: RunEvent[] = [];
  const run = await perform(trainVerb({ ...other, settings: { ...other.settings, evalTest: false } }), {
    journal,
    onEvent: (event) => events.push(event),
  });
  const { id } = run;
  expect(server.callCount).toBe(calls);
  // the end of train and `runs show` count alike: what it bought, and apart from it what it found
  expect(run.bought).toEqual({ total: { nanoUsd: 0, tokens: 0, calls: 0, usd: "$0" } });
  expect(readEvents(events)?.costs).toEqual({});
  expect(run.summary.cost.total?.calls).toBeGreaterThan(50);
  let uses = 0;
  for await (const _ of journal.read({ run: id, kinds: ["use"] })) uses += 1;
  expect(uses).toBeGreaterThan(50);
});

test("a custom environment asks the target through the journal", async () => {
  const environment: Environment = {
    name: "twice",
    version: "1",
    async run(task, skill, { model }) {
      const ask = () =>
        model.generate({
          system: skill.files[skill.main] ?? "",
          messages: [{ role: "user", content: task.input }],
        });
      const [first, second] = [await ask(), await ask()];
      const right = [first, second].filter((reply) => reply.text.includes(task.answers?.[0] ?? "?")).length;
      const conversation = [{ role: "assistant" as const, content: first.text }];
      return { kind: "scored", hard: right / 2, soft: right / 2, feedback: "", conversation };
    },
  };
  const { summary } = await perform(trainVerb(resolve({ environment })), { journal });
  expect(summary.steps).toBe(4);
  const calls = server.callCount;
  await perform(trainVerb(resolve({ environment })), { journal });
  expect(server.callCount).toBe(calls);
  // equal calls of one rollout are two draws
  expect(Math.max(...server.callsByKey.values())).toBe(1);
});

test("an environment that throws names the task and stops", async () => {
  const environment: Environment = {
    name: "broken",
    version: "1",
    run: async () => {
      throw new TypeError("no such table");
    },
  };
  await expect(perform(trainVerb(resolve({ environment })), { journal })).rejects.toMatchObject({
    code: "tasks-invalid",
    message: expect.stringContaining("no such table"),
  });
});

test("artifacts hold no instants, hosts or absolute paths", async () => {
  const { folder } = await perform(trainVerb(resolve()), { journal });
  const text = await Promise.all(
    ["config.json", "summary.json", "history.json", "steps/step_0000/step_record.json"].map((file) =>
      readFile(join(folder, file), "utf8"),
    ),
  );
  expect(text.join("\n")).not.toMatch(/127\.0\.0\.1|\/tmp\/|20\d\d-\d\d-\d\d/);
});

test("a sealed test that can claim nothing buys no call", async () => {
  const stages = new Set<string>();
  const onEvent = (event: RunEvent) => {
    if (event.type === "unit-end") stages.add(event.stage);
  };
  const resolved = resolve();
  const strict = { ...resolved, settings: { ...resolved.settings, sealedAlpha: 1e-6 } };
  const { summary, result } = await perform(trainVerb(strict), { journal, onEvent });
  expect(result.sealed?.kind).toBe("refused");
  expect(summary.sentence).toContain("too small for any claim");
  expect([...stages]).not.toContain("test");
});
