import { perform } from "../verbs/perform.ts";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptedRun } from "../../../test/support/scripted-run.ts";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { buildReport } from "../../report/build-report.ts";
import { reportSchema } from "../../../test/support/report-schema.ts";
import { pruneFigures } from "../../report/prune-figures.ts";
import { rolloutsOf } from "../../report/rollouts-of.ts";
import { createRunReader, readEvents } from "../../report/run-state.ts";
import { type ScriptedServer, hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { compareVerb } from "../verbs/compare.ts";
import { evaluateVerb } from "../verbs/evaluate.ts";
import { pruneVerb } from "../verbs/prune.ts";
import {
  createReportMemory,
  listRunOverviews,
  readAnew,
  readRollout,
  readRunReport,
  readStepReport,
} from "./read-report.ts";
import { readRunFolder } from "./read-run-folder.ts";
import { eventOf } from "./runs.ts";
import { type TrainRun, trainVerb } from "../verbs/train.ts";

const world = hiddenRuleWorld({ seed: 5, rules: 6, noise: 0.1, passWith: 0.95, passWithout: 0.1 });
const splits = world.splits({ train: 24, val: 16, test: 12 });
let server: ScriptedServer;
let dir: string;
let journal: Journal;
let trained: TrainRun;

beforeAll(async () => {
  server = await startScriptedServer({ seed: 3, world });
  dir = await mkdtemp(join(tmpdir(), "whetstone-report-"));
  journal = await sqliteJournal({ dir });
  trained = await perform(trainVerb(resolve()), { journal });
});

afterAll(async () => {
  await journal.close();
  await server.close();
  await rm(dir, { recursive: true });
});

const resolve = (settings = {}) =>
  scriptedRun({
    url: server.url,
    skill: world.seedSkill(2),
    splits,
    settings: { epochs: 2, batchSize: 12, minibatchSize: 4, ...settings },
    rest: { journalDir: dir },
  });

const read = () => readRunReport(journal, trained.id, trained.folder, { journalDir: dir });

async function eventsOf(run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const entry of journal.read({ run, kinds: ["event"] })) events.push(eventOf(entry));
  return events;
}

test("a finished training's report agrees with its summary", async () => {
  const report = await read();
  expect(reportSchema.safeParse(report).error).toBeUndefined();
  const { summary } = trained;
  expect(report.overview.verdict).toBe(summary.verdict);
  expect(report.overview.sentence).toBe(summary.sentence);
  expect(report.overview.gain?.value).toBe(summary.claim?.difference);
  expect(report.baseline?.value).toBe(summary.val.baseline);
  expect(report.sealed?.original.value).toBeCloseTo(summary.test?.original ?? -1, 9);
  expect(report.sealed?.best?.value).toBeCloseTo(summary.test?.best ?? -1, 9);
  expect(report.steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
  expect(report.versions.find(({ isBest }) => isBest)?.hash).toBe(summary.best.hash);
  const calls = report.costs.reduce((sum, { cost }) => sum + cost.calls, 0);
  expect(calls).toBe(report.overview.cost.calls);
});

test("a report is the same from the file that the run left and from events and artifacts", async () => {
  const { proposal: _, ...kept } = await read();
  expect(kept).toEqual(JSON.parse(JSON.stringify(await readAnew(journal, trained.id, trained.folder))));
});

test("a file that knows less than the journal is not believed", async () => {
  const copy = join(dir, "stale");
  await cp(trained.folder, copy, { recursive: true });
  const path = join(copy, "report.json");
  const report = JSON.parse(await readFile(path, "utf8"));
  const { writeFile } = await import("node:fs/promises");
  await writeFile(path, JSON.stringify({ ...report, seq: report.seq - 1, steps: [] }));
  expect((await readRunReport(journal, trained.id, copy)).steps).toHaveLength(4);
});

test("every rule of the result knows who asked for it, and is in the result", async () => {
  const report = await read();
  expect(report.rules.length).toBeGreaterThan(0);
  const best = report.versions.find(({ isBest }) => isBest)?.files["SKILL.md"] ?? "";
  const train = new Set(splits.train.map(({ id }) => id));
  for (const rule of report.rules) {
    if (rule.op !== "delete") expect(best).toContain(rule.text);
    expect(rule.evidence.every((id) => train.has(id))).toBe(true);
  }
});

test("a task's rollouts are all there, and each opens with its transcript", async () => {
  const report = await read();
  const place = report.tasks.findIndex(({ split }) => split === "test");
  const task = report.tasks[place];
  const refs = rolloutsOf(report, place);
  expect(refs.length).toBe(task?.rollouts);
  const last = refs.at(-1);
  const rollout = await readRollout(journal, trained.id, trained.folder, last?.ref ?? "");
  expect(rollout).toMatchObject({ ...last, task: task?.id });
  expect(rollout?.conversation.length).toBeGreaterThan(1);
  expect(rollout?.input.startsWith(task?.input ?? "?")).toBe(true);
});

test("a ref that no report names opens nothing", async () => {
  for (const ref of ["../../config#0", "config.json", "steps/step_0000/selection_eval#99999", "#", ""])
    expect(await readRollout(journal, trained.id, trained.folder, ref)).toBeUndefined();
});

test("a step tells what was proposed and how each task came out", async () => {
  const report = await read();
  const judged = report.steps.find(({ candidate }) => candidate !== undefined);
  const step = await readStepReport(journal, trained.id, trained.folder, judged?.step ?? 0);
  expect(step.analysts.length).toBeGreaterThan(0);
  expect(step.edits.length).toBe(step.applied + step.refused);
  expect(step.gate?.of).toBe(16);
  expect(step.gate?.pairs).toHaveLength(16);
  const open = step.gate?.pairs.filter(({ outcome }) => outcome === "open").length;
  expect(open).toBe(16 - (step.gate?.asked ?? 0));
  await expect(readStepReport(journal, trained.id, trained.folder, 99)).rejects.toThrow("no finished step");
});

test("any beginning of the events gives a report that holds together, with or without artifacts", async () => {
  const events = await eventsOf(trained.id);
  const folder = await readRunFolder(trained.folder);
  const empty = await readRunFolder(join(dir, "nowhere"));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: events.length }), fc.boolean(), (length, hasFolder) => {
      const state = readEvents(events.slice(0, length));
      if (state === undefined) throw new Error("no state");
      const report = buildReport(state, hasFolder ? folder : empty);
      expect(reportSchema.safeParse(report).error).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

test("reading events one by one and all at once comes to the same", async () => {
  const events = await eventsOf(trained.id);
  const reader = createRunReader();
  for (const event of events) {
    reader.add(event);
    reader.state();
  }
  expect(reader.state()).toEqual(readEvents(events));
});

test("what is remembered is continued, not read again", async () => {
  const memory = createReportMemory();
  const copy = join(dir, "unfinished");
  await cp(trained.folder, copy, { recursive: true });
  await rm(join(copy, "report.json"));
  const first = await readRunReport(journal, trained.id, copy, { memory });
  expect(await readRunReport(journal, trained.id, copy, { memory })).toEqual(first);
});

test("evaluations, comparisons, noise and pruning have reports too", async () => {
  const evaluated = await perform(evaluateVerb(resolve(), "val"), { journal });
  const better = { ...resolve(), skill: trained.result.best.skill };
  const original = singleFileSkill(world.seedSkill(2));
  const compared = await perform(compareVerb(better, { before: original, on: "test", seen: new Set() }), {
    journal,
  });
  const pruned = await perform(pruneVerb(resolve({ trials: 2 }), { margin: 0.6 }), {
    journal,
  });
  for (const { id, folder } of [evaluated, compared, pruned]) {
    const report = await readRunReport(journal, id, folder, { journalDir: dir });
    expect(reportSchema.safeParse(report).error).toBeUndefined();
    expect(report.tasks.some(({ rollouts }) => rollouts > 0)).toBe(true);
  }
  const comparison = await readRunReport(journal, compared.id, compared.folder);
  expect(comparison.sealed?.wins).toBe(compared.summary.claim?.wins);
  expect(comparison.overview.gain?.value).toBe(compared.summary.claim?.difference);
  const pruning = await readRunReport(journal, pruned.id, pruned.folder);
  expect(pruneFigures(pruning)?.table).toHaveLength(pruned.summary.rules);
  const listed = (await listRunOverviews(journal, dir)).map(({ command }) => command);
  expect(listed).toEqual(["prune", "compare", "eval", "train"]);
});

test("a comparison that found a loss shows the p of that", async () => {
  const worse = { ...resolve(), skill: singleFileSkill(world.seedSkill(0)) };
  const before = singleFileSkill(world.seedSkill(6));
  const { id, folder, summary } = await perform(compareVerb(worse, { before, on: "test", seen: new Set() }), {
    journal,
  });
  expect(summary.claim?.verdict).toBe("worse");
  const { sealed } = await readRunReport(journal, id, folder);
  expect(sealed?.p).toBe(summary.claim?.pWorse);
});

test("the list says what a run that goes on has measured", async () => {
  const going = await memoryJournal();
  for await (const entry of journal.read({ run: trained.id, kinds: ["event"] })) {
    if (entry.name === "step-end") break;
    await going.write(entry);
  }
  const [overview] = await listRunOverviews(going, dir);
  expect(overview).toMatchObject({ status: "running", sentence: expect.stringMatching(/val \d+\.\d%/) });
});

test("runs of skills with one name are told apart by where they live, from the project's folder", async () => {
  const project = "/work/parcels";
  const told = await memoryJournal();
  const begin = (run: string, skillPath?: string) =>
    told.write({
      kind: "event",
      run,
      key: "",
      name: "run-start",
      body: {
        v: 1,
        seq: 1,
        at: 1,
        command: "train",
        skill: "ab",
        skillName: "parcels",
        ...(skillPath === undefined ? {} : { skillPath }),
        models: {},
        tasks: { train: 1, val: 1, test: 1 },
        steps: 1,
        resumed: 0,
        finished: false,
        spent: { nanoUsd: 0, tokens: 0, calls: 0 },
        folder: project,
        settings: {},
      },
    });
  await begin("a", join(project, "annex", "SKILL.md"));
  await begin("b", join(project, "office", "SKILL.md"));
  await begin("c", "/elsewhere/SKILL.md");
  await begin("d", project);
  await begin("e");
  const listed = await listRunOverviews(told, project);
  expect(listed.map(({ id, skillPath }) => [id, skillPath])).toEqual([
    ["e", undefined],
    ["d", "."],
    ["c", "/elsewhere/SKILL.md"],
    ["b", join("office", "SKILL.md")],
    ["a", join("annex", "SKILL.md")],
  ]);
});
