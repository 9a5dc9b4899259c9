import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildReport } from "../../report/build-report.ts";
import type { RunReport, StandaloneData } from "../../report/model.ts";
import { readEvents } from "../../report/run-state.ts";
import { readRunFolder } from "./read-run-folder.ts";
import { standaloneReport } from "./standalone.ts";

const app = '<!doctype html><div id="app"></div>';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "whetstone-standalone-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** A comparison in which the first of all tasks changed, with transcripts of some size. */
async function makeReport(tasks: number, transcriptLength: number): Promise<RunReport> {
  const ids = Array.from({ length: tasks }, (_, at) => `task-${at}`);
  const splits = { train: [], val: [], test: ids.map((id) => ({ id, hash: "" })) };
  await write("config.json", { skill: { main: "SKILL.md" }, splits });
  for (const [arm, passes] of [
    ["before", false],
    ["after", true],
  ] as const) {
    const rows = ids.map((id, at) => ({
      id,
      hard: passes && at === tasks - 1 ? 1 : 0,
      soft: 0,
      feedback: "",
      conversation: [{ role: "user", content: `</script>${"x".repeat(transcriptLength)}` }],
    }));
    await write(`eval_${arm}/results.json`, { tasks, trials: [rows] });
  }
  const state = readEvents([
    {
      v: 1,
      seq: 1,
      at: 1,
      run: "r",
      type: "run-start",
      command: "compare",
      skill: "s",
      models: {},
      tasks: { train: 0, val: 0, test: tasks },
      steps: 0,
      resumed: 0,
      finished: false,
      spent: { nanoUsd: 0, tokens: 0, calls: 0 },
      folder,
      settings: { metric: "hard", mixedWeight: 0.5 },
    },
  ]);
  if (state === undefined) throw new Error("no state");
  return buildReport(state, await readRunFolder(folder));
}

async function write(path: string, value: unknown): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), JSON.stringify(value));
}

const read = (html: string, id: string): unknown =>
  JSON.parse(html.split(`id="${id}">`)[1]?.split("</script>")[0] ?? "");

const dataOf = (html: string): StandaloneData =>
  ({
    ...(read(html, "whetstone-data") as object),
    rollouts: read(html, "whetstone-rollouts"),
  }) as StandaloneData;

test("a small run is in its file wholly, and the file says so", async () => {
  const report = await makeReport(3, 10);
  const { html, note } = await standaloneReport(report, folder, app);
  const data = dataOf(html);
  expect(data.report).toEqual(JSON.parse(JSON.stringify(report)));
  expect(data.rollouts).toHaveLength(6);
  expect(note).toBe("This file contains all 6 transcripts.");
  expect(data.note).toBe(note);
});

test("a large one stays within 20 MB, with the transcripts of what changed first", async () => {
  const report = await makeReport(60, 400_000);
  const { html, bytes, note } = await standaloneReport(report, folder, app);
  expect(bytes).toBe(Buffer.byteLength(html));
  expect(bytes).toBeLessThanOrEqual(20_000_000);
  const { rollouts } = dataOf(html);
  // each transcript stands in it twice, as question and as conversation
  expect(rollouts.length).toBe(24);
  expect(rollouts.slice(0, 2).map(({ task, ref }) => [task, ref])).toEqual([
    ["task-59", "eval_before#59"],
    ["task-59", "eval_after#59"],
  ]);
  expect(note).toContain("24 of 120 transcripts, starting with the 1 tasks");
});
