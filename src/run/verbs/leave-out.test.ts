import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { officeTasks, openOffice } from "../../../test/support/office-config.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import type { Config } from "../../config/schema.ts";
import { hashJson } from "../../core/canonical.ts";
import { InfraError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Environment } from "../../core/tasks/environment.ts";
import { evaluateVerb } from "./evaluate.ts";
import { perform } from "./perform.ts";
import { trainVerb } from "./train.ts";

const [deadVal, deadTest] = [officeTasks.val[3]?.id ?? "", officeTasks.test[2]?.id ?? ""];

/** Runs against a provider that never answers some tasks, on one journal. */
async function openDying(dead: readonly string[]) {
  const { options } = await openOffice();
  const [journal, cwd] = [await memoryJournal(), await tempDir()];
  const asked: string[] = [];
  const answered: string[] = [];
  const environment: Environment["run"] = async (task, skill, context) => {
    const name = `${task.id} ${context.trial} ${hashJson(skill.files)}`;
    asked.push(name);
    if (dead.includes(task.id)) throw new InfraError("transport", "HTTP 500: it never answers.");
    const system = skill.files["SKILL.md"] ?? "";
    const question = { role: "user", content: task.input } as const;
    const { text } = await context.model.generate({ system, messages: [question] });
    const scored = await context.score(task, { text, toolCalls: [], files: {}, skillsLoaded: [] });
    if ("reason" in scored) return scored;
    answered.push(name);
    return { ...scored, kind: "scored", conversation: [question, { role: "assistant", content: text }] };
  };
  const policy = { tries: 1, backoffMs: 1, probeMs: 5 };
  const resolve = (more: Config) =>
    resolveConfig({ ...options, gate: "rules", environment, journal: cwd, ...more }, { cwd, env: {} });
  return {
    asked,
    answered,
    train: async (more: Config = {}, onEvent?: (event: RunEvent) => void) =>
      perform(trainVerb(await resolve(more)), { journal, policy, onEvent }),
    evaluate: async (more: Config = {}) =>
      perform(evaluateVerb(await resolve(more), "val"), { journal, policy }),
  };
}

test("a task that is never answered is named, and left out by name the same run goes on and ends", async () => {
  const { asked, answered, train } = await openDying([deadVal]);
  await expect(train()).rejects.toMatchObject({
    code: "too-many-pending",
    message: expect.stringContaining(`(tasks ${deadVal})`),
    hint: expect.stringContaining(`add --leave-out ${deadVal}: the run goes on without it`),
  });
  const [count, first] = [asked.length, [...answered]];
  const events: string[] = [];
  const run = await train({ leaveOut: [deadVal] }, (event) => {
    if (event.type === "run-start") events.push(`${event.run} ${event.resumed > 0}`);
  });
  expect(events).toEqual([`${run.id} true`]);
  // nothing is bought twice, and nobody asks for the task again
  const later = asked.slice(count);
  expect(later.length).toBeGreaterThan(0);
  expect(later.filter((one) => first.includes(one) || one.startsWith(deadVal))).toEqual([]);
  expect(run.summary.leftOut).toEqual([deadVal]);
  expect(JSON.parse(readFileSync(join(run.folder, "config.json"), "utf8"))).toMatchObject({
    leftOut: [deadVal],
  });
  // it remembers: the plain command is the same run, and it is finished
  const again = await train();
  expect(again).toMatchObject({ id: run.id, finishedBefore: true });
  expect({ ...again.summary, cost: {} }).toEqual({ ...run.summary, cost: {} });
});

test("in the sealed test a task that was left out counts as a loss, in claim, proposal and sentence", async () => {
  const { train } = await openDying([deadTest]);
  const strictly = { maxPendingShare: 0, baselines: false, gate: "strict", epochs: 2 } as const;
  await expect(train(strictly)).rejects.toMatchObject({
    message: expect.stringContaining(`results in stage test are missing (tasks ${deadTest})`),
    hint: expect.stringContaining(`add --leave-out ${deadTest}`),
  });
  const run = await train({ ...strictly, leaveOut: [deadTest] });
  const { claim, sentence } = run.summary;
  expect(claim).toMatchObject({ leftOut: 1, missing: 0, tasks: officeTasks.test.length });
  expect((claim?.wins ?? 0) + (claim?.losses ?? 0) + (claim?.ties ?? 0)).toBe(officeTasks.test.length - 1);
  expect(sentence).toContain(`Left out by name: ${deadTest}. p and the interval count it as a loss.`);
  const proposal = JSON.parse(readFileSync(join(run.folder, "proposal.json"), "utf8")) as object;
  expect(proposal).toMatchObject({ leftOut: [deadTest], reason: sentence });
});

test("the strict gate and an evaluation go on without it, too", async () => {
  const { train, evaluate } = await openDying([deadVal]);
  const given = { leaveOut: [deadVal] };
  const { result: strict } = await train({ ...given, gate: "strict" });
  expect(strict.steps.map(({ action }) => action)).not.toContain("undecided");
  const { summary } = await evaluate(given);
  expect(summary).toMatchObject({ tasks: officeTasks.val.length - 1, pending: 0, leftOut: [deadVal] });
  expect(summary.tooLong).toBeUndefined();
});

test("a name that is no task's is refused with the nearest; so is a split with nothing left", async () => {
  const { train } = await openDying([]);
  await expect(train({ leaveOut: [`${deadVal}x`] })).rejects.toMatchObject({
    code: "config-invalid",
    message: `"leaveOut" names "${deadVal}x", but there's no such task.`,
  });
  const all = officeTasks.val.map(({ id }) => id).join(",");
  await expect(train({ leaveOut: [all] })).rejects.toMatchObject({
    message: '"leaveOut" names every val task.',
  });
});
