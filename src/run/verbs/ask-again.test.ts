import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openOffice } from "../../../test/support/office-config.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import type { Config } from "../../config/schema.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { type ChatWorld, type FaultPlan, startScriptedServer } from "../../testing/index.ts";
import { draftTasksFor } from "./draft.ts";
import { evaluate } from "./evaluate.ts";
import { train } from "./train.ts";

const words = "apple pear plum fig kiwi lime nut oat".split(" ");
const task = (word: string) => ({
  id: word,
  input: `How is ${word} written on the form?`,
  reference: word.toUpperCase(),
  checks: [{ kind: "rubric" as const, value: `Writes ${word} in capitals.` }],
});

/** The target writes in capitals, and the judge sees it. */
const forms: ChatWorld = {
  reply({ system, messages }) {
    const prompt = messages.map(({ content }) => content).join("\n\n");
    const word = words.find((one) => prompt.includes(one)) ?? "";
    if (!system.includes("Contract: judge")) return { text: `On the form: ${word.toUpperCase()}` };
    const answer = (name: string) => new RegExp(`BEGIN ${name} .*\n([^]*?)\nEND`).exec(prompt)?.[1] ?? "";
    const isMet = (text: string) => text.includes(word.toUpperCase());
    const text = system.includes("Contract: judge_pair")
      ? JSON.stringify({ reason: "", better: isMet(answer("first answer")) ? "first" : "second" })
      : JSON.stringify({ reason: "", score: isMet(answer("answer")) ? 1 : 0 });
    return { text };
  },
};

/** Every start of the same command: how it ended, and how many calls it made of a kind. */
async function openForms() {
  const server = await startScriptedServer({ seed: 1, world: forms });
  onTestFinished(() => server.close());
  const journal = await tempDir();
  const config: Config = {
    skill: { main: "SKILL.md", files: { "SKILL.md": "# Forms\n" } },
    tasks: { train: [task("rye")], val: words.map(task), test: [task("yam")] },
    target: "office/target",
    judge: "office/judge",
    baseURL: `${server.url}/v1`,
    spend: { calls: 300 },
    journal,
  };
  const start = async (faults?: FaultPlan, more: Config = {}) => {
    const before = server.callCount;
    server.faults = faults;
    const end = await evaluate({ ...config, ...more }).then(
      ({ summary }) => ({ hard: summary.hard }),
      ({ code, message, hint }: Record<string, string>) => ({ code, message, hint }),
    );
    return { end, calls: server.calls.slice(before).map(({ request }) => request) };
  };
  const spent = async () => {
    const opened = await openJournal({ journalDir: journal }, { readOnly: true });
    try {
      return (await readLedger(opened.read())).spent.calls;
    } finally {
      await opened.close();
    }
  };
  return { start, server, spent };
}

/** The judge's replies about answers of the target to these tasks: the first is empty, the repair is cut off. */
const spoilVerdicts =
  (ids: readonly string[]): FaultPlan =>
  (_, __, { system, messages }) => {
    const asked = messages.map(({ content }) => content).join("");
    if (!system.includes("Contract: judge") || !asked.includes("On the form:")) return undefined;
    if (!ids.some((id) => asked.includes(`How is ${id} `))) return undefined;
    return asked.includes("could not be used") ? "truncated" : "empty";
  };

test("verdicts that cannot be used are asked for again by the same command, once per start, and each is booked", async () => {
  const { start, server, spent } = await openForms();
  const odd = ["pear", "fig", "oat"];
  const first = await start(spoilVerdicts(odd));
  expect(first.end).toMatchObject({
    code: "too-many-pending",
    message: expect.stringContaining("The judge gave no usable verdict on task pear."),
    hint: expect.stringContaining("Run the same command again: it asks the judge again."),
  });
  const second = await start(spoilVerdicts(odd));
  expect(second.end).toEqual(first.end);
  expect(second.calls.map(({ model }) => model)).toEqual(odd.map(() => "judge"));
  const third = await start();
  expect(third).toMatchObject({ end: { hard: 1 } });
  expect(third.calls).toHaveLength(odd.length);
  expect(await start()).toEqual({ end: { hard: 1 }, calls: [] });
  expect(await spent()).toBe(server.callCount);
  // each try went out under a key of its own
  expect(new Set(server.calls.map(({ key }) => key)).size).toBe(server.callCount);
});

test("an evaluation that ended without one verdict asks for it again", async () => {
  const { start } = await openForms();
  expect((await start(spoilVerdicts(["fig"]))).end).toEqual({ hard: null });
  const { end, calls } = await start();
  expect({ end, calls: calls.length }).toEqual({ end: { hard: 1 }, calls: 1 });
});

test("a judge whose trial failed for want of usable verdicts is tried again, too", async () => {
  const { start } = await openForms();
  const first = await start((_, __, { system }) =>
    system.includes("Contract: judge") ? "empty" : undefined,
  );
  expect(first.end).toMatchObject({ code: "judge-uncalibrated" });
  const second = await start();
  expect(second.end).toEqual({ hard: 1 });
});

test("the cap holds for tries of a later start", async () => {
  const { start, server } = await openForms();
  await start(spoilVerdicts(words));
  const cap = server.callCount + 3;
  const { end, calls } = await start(undefined, { spend: { calls: cap } });
  expect(end).toMatchObject({ code: "spend-cap" });
  expect(calls).toHaveLength(3);
});

const isAnalyst: FaultPlan = (_, __, { system }) =>
  system.includes("Contract: analyst") ? "empty" : undefined;

test("an optimizer without a usable reply is asked again by the same command, which then ends as it would have", async () => {
  const undisturbed = await openOffice();
  const quickly = { gate: "strict", evalTest: false, baselines: false } as const;
  const expected = await train({ ...undisturbed.options, ...quickly, journal: await tempDir() });
  const { server, options } = await openOffice();
  const training = { ...options, ...quickly, journal: await tempDir() };
  const analystCalls = () =>
    server.calls.filter(({ request }) => request.system.includes("Contract: analyst")).length;
  const counts: number[] = [];
  for (const _ of [1, 2]) {
    const before = analystCalls();
    server.faults = isAnalyst;
    await expect(train(training)).rejects.toMatchObject({
      code: "replies-unusable",
      hint: expect.stringMatching(/^Run the same command again to retry\./),
    });
    counts.push(analystCalls() - before);
  }
  // preflight asks one of them in the first start alone
  const [first = 0, second = 0] = counts;
  // question, repair and its second try; then one more
  expect([first - 1, second > 0]).toEqual([3 * second, true]);
  server.faults = undefined;
  const before = analystCalls();
  const run = await train(training);
  expect(analystCalls()).toBeGreaterThan(before);
  expect(run.summary.steps).toBe(expected.summary.steps);
  const calls = server.callCount;
  const again = await train(training);
  expect({ ...again.summary, cost: {} }).toEqual({ ...run.summary, cost: {} });
  expect(server.callCount).toBe(calls);
});

test("drafts that could not be used are asked for again", async () => {
  const { server, options } = await openOffice();
  const { skill, optimizer, baseURL, spend } = options;
  const cwd = await tempDir();
  const drafting = () =>
    draftTasksFor({
      skill,
      optimizer,
      baseURL,
      spend,
      journal: cwd,
      count: 2,
      file: join(cwd, "drafts.jsonl"),
    });
  const isDraft: FaultPlan = (_, __, { system }) =>
    system.includes("Contract: draft_tasks") ? "empty" : undefined;
  server.faults = isDraft;
  await expect(drafting()).rejects.toMatchObject({ code: "replies-unusable" });
  const before = server.callCount;
  await expect(drafting()).rejects.toMatchObject({ code: "replies-unusable" });
  expect(server.callCount - before).toBe(1);
});
