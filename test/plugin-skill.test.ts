import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { importTasks } from "../src/index.ts";
import { scoreTask } from "../src/method.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { flat, lessons, obedientWorld } from "./support/plugin-lessons.ts";
import { tempDir } from "./support/temp-dir.ts";

const main = join(import.meta.dirname, "../src/apps/cli/main.ts");
const plugin = join(import.meta.dirname, "../plugins/whetstone");
const skillFile = "skills/whetstone/SKILL.md";
const skill = readFileSync(join(plugin, skillFile), "utf8");
const { tasks, notUnderstood } = await importTasks(plugin);

test("the suite of `claude plugin eval` is understood whole, and stands beside it in our own format", async () => {
  expect(notUnderstood.filter(({ effect }) => effect !== "ignored")).toEqual([]);
  expect(tasks.map(({ id }) => id)).toEqual(lessons.map(({ name }) => name));
  const lines = tasks.map((task) => `${JSON.stringify(task)}\n`).join("");
  await expect(lines).toMatchFileSnapshot(join(plugin, "evals/tasks.jsonl"));
});

test.each(lessons)(
  "$name: its sentence is in the skill, and the case tells who has read it",
  async (lesson) => {
    expect(flat(skill)).toContain(lesson.sentence);
    expect(flat(skill)).not.toContain(lesson.asked);
    const task = tasks.find(({ id }) => id === lesson.name);
    if (task === undefined) throw new Error(`no case ${lesson.name}`);
    expect(task.input).toContain(lesson.asked);
    const scored = async (text: string) =>
      await scoreTask(task, { text, toolCalls: [], files: {}, skillsLoaded: [] }, {});
    expect(await scored(lesson.obeyed)).toMatchObject({ hard: 1 });
    expect(await scored(lesson.untaught)).toMatchObject({ hard: 0 });
  },
);

/** `whetstone eval` in a process of its own, against a target that does what it reads. */
async function openChecks() {
  const server = await startScriptedServer({ seed: 1, world: obedientWorld, record: false });
  onTestFinished(() => server.close());
  const cwd = await tempDir({});
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    NO_COLOR: "1",
    XDG_STATE_HOME: process.env["XDG_STATE_HOME"],
  };
  const models = ["--target", "scripted/obedient", "--base-url", `${server.url}/v1`, "--spend-calls", "500"];
  const check = (args: readonly string[]) =>
    new Promise<{ readonly code: unknown; readonly printed: string }>((done) => {
      execFile(process.execPath, [main, "eval", ...args, ...models], { cwd, env }, (error, out, err) =>
        done({ code: error === null ? 0 : error.code, printed: out + err }),
      );
    });
  return { cwd, check };
}

test("our own check says that the skill is better than none", async () => {
  const { check } = await openChecks();
  const { code, printed } = await check([plugin, "--fail-on", "not-better"]);
  expect(printed).toMatch(/^better/m);
  expect(code).toBe(0);
});

test("and fails when the skill loses sentences that matter", async () => {
  const { cwd, check } = await openChecks();
  const worse = join(cwd, "plugin");
  cpSync(plugin, worse, { recursive: true });
  const lost =
    /\n## Never adopt unasked\n[^]*?(?=\n## )|\nScores on val guide[^]*?\n\n|\| (?:not proven|undecided|higher)[^\n]*\n/g;
  writeFileSync(join(worse, skillFile), skill.replaceAll(lost, "\n"));
  const baseline = join(plugin, "skills/whetstone");
  const { code, printed } = await check([worse, "--baseline", baseline, "--fail-on", "worse"]);
  expect(printed).toMatch(/^worse/m);
  expect(code).toBe(1);
});
