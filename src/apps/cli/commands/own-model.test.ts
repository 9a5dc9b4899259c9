import { expect, test } from "vitest";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { openJournal } from "../../../adapters/journals/open-journal.ts";
import type { Config } from "../../../config/schema.ts";
import { checkJournalCommand } from "./journal-command.ts";
import type { Json } from "../../../core/json.ts";
import type { Model, Reply } from "../../../core/ports/model.ts";
import { readLedger } from "../../../core/work/ledger.ts";
import { readRunReport } from "../../../run/reports/read-report.ts";
import { evaluate } from "../../../run/verbs/evaluate.ts";

const good: Reply = { text: "right", finish: "stop", usage: { inputTokens: 5, outputTokens: 2 } };
const task = (id: string) => ({ id, input: `Say right, ${id}.`, answers: ["right"] });

/** Measures a model of the user's own, given in code; which keys it was asked for is kept. */
function openOwn(journal: string) {
  const keys: string[] = [];
  const measure = (reply: unknown, prices?: Config["prices"]) => {
    const target: Model = {
      id: "mine/model",
      async generate(_, { key }) {
        keys.push(key);
        return reply as Reply;
      },
    };
    const tasks = { train: [task("a")], val: ["b", "c", "d"].map(task), test: [task("e")] };
    const skill = { main: "SKILL.md", files: { "SKILL.md": "# Right\n" } };
    return evaluate({ skill, tasks, target, spend: { calls: 50 }, journal, ...(prices && { prices }) });
  };
  return { keys, measure };
}

const { usage: _, ...uncounted } = good;

test.each([
  [{ ...good, usage: 7 }, '"usage" as 7; it must be { inputTokens, outputTokens }'],
  [
    { ...good, usage: { input: 5, output: 2 } },
    '"usage.inputTokens" as undefined; it must be a number of 0 or more',
  ],
  [
    { ...good, usage: { inputTokens: 5, outputTokens: Number.NaN } },
    '"usage.outputTokens" as NaN; it must be a number of 0 or more',
  ],
  [
    { ...good, usage: { inputTokens: -5, outputTokens: 2 } },
    '"usage.inputTokens" as -5; it must be a number of 0 or more',
  ],
  [
    { ...good, usage: { ...good.usage, cachedInputTokens: "5" } },
    '"usage.cachedInputTokens" as "5"; it must be a number of 0 or more',
  ],
  [{ ...good, text: undefined }, '"text" as undefined; it must be a string'],
  [{ ...good, model: 5 }, '"model" as 5; it must be a string'],
  [
    { ...good, finish: "end_turn" },
    '"finish" as "end_turn"; it must be "stop", "length", "content-filter", "other" or "none"',
  ],
  [null, "null; it must be { text, finish, usage }"],
] as const)(
  "%j is refused before it is recorded; the model that was corrected goes on",
  async (reply, said) => {
    const journal = await tempDir();
    const { keys, measure } = openOwn(journal);
    for (const _ of [1, 2])
      await expect(measure(reply)).rejects.toMatchObject({
        code: "reply-invalid",
        message: `The model mine/model returned ${said}.`,
        hint: expect.stringContaining("run the same command again"),
      });
    const opened = await openJournal({ journalDir: journal });
    expect((await readLedger(opened.read())).results).toBe(0);
    await opened.close();
    expect((await measure(good)).summary).toMatchObject({ hard: 1 });
    // the first call twice, then all of them
    expect(keys).toHaveLength(2 + 1 + 3);
  },
);

test("a model that counts nothing is booked at the most that it can have been, and marked", async () => {
  const journalDir = await tempDir();
  const { keys, measure } = openOwn(journalDir);
  const { spent, summary } = await measure(uncounted);
  expect(spent.estimated).toBe(spent.tokens);
  expect(summary.cost.target).toMatchObject({ tokens: spent.tokens, estimated: spent.tokens });
  const opened = await openJournal({ journalDir }, { readOnly: true });
  const { output } = ((await opened.get(keys[0] ?? ""))?.body ?? {}) as { readonly output?: Reply };
  await opened.close();
  expect(output?.usage).toEqual({
    inputTokens: expect.any(Number),
    outputTokens: output?.usage.outputTokens,
    estimated: true,
  });
  expect(spent.tokens).toBeGreaterThan(4 * (output?.usage.outputTokens ?? Number.NaN));
  expect((await measure(good)).finishedBefore).toBe(true);
});

test("a count may be a fraction, such as a quarter of the characters", async () => {
  const { measure } = openOwn(await tempDir());
  const usage = { inputTokens: 7.25, outputTokens: 1.5 };
  const prices = { "mine/model": { input: 1, output: 1 } };
  const { spent } = await measure({ ...good, usage }, prices);
  expect(spent).toEqual({ calls: 4, tokens: 4 * (8 + 2), nanoUsd: 4 * (8000 + 2000) });
});

class Lazy {
  readonly finish = "stop";
  readonly usage = good.usage;
  get text() {
    return "right";
  }
}
const circular: Record<string, unknown> = { ...good };
circular["raw"] = circular;

test.each([
  [new Lazy(), '"text" in a form that JSON leaves out'],
  [circular, "what can't be written as JSON: Converting circular structure"],
  [{ ...good, raw: 5n }, "what can't be written as JSON: Do not know how to serialize a BigInt"],
])("a reply that no journal could give back is refused before it is recorded", async (reply, said) => {
  const journalDir = await tempDir();
  const { measure } = openOwn(journalDir);
  await expect(measure(reply)).rejects.toMatchObject({
    code: "reply-invalid",
    message: expect.stringContaining(`The model mine/model returned ${said}`),
  });
  expect((await measure(good)).summary).toMatchObject({ hard: 1 });
});

test("a journal in which an early version recorded such a reply still opens, resumes, and is told as it is", async () => {
  const sound = openOwn(await tempDir());
  const { id } = await sound.measure(good);
  const [first = "", second = ""] = sound.keys;
  const journalDir = await tempDir();
  const old = await openJournal({ journalDir });
  // as 0.1.0 and 0.2.0 wrote it: NaN is null in JSON
  const body = {
    output: { ...good, usage: { input: 5, output: 2 } },
    cost: { nanoUsd: 0, tokens: null, calls: 1 },
    ms: 3,
    tries: 1,
    unit: "generate@1",
  } as unknown as { [name: string]: Json };
  for (const key of [first, second]) await old.write({ kind: "result", run: id, key, name: "", body });
  await old.close();

  const { keys, measure } = openOwn(journalDir);
  const run = await measure(good);
  expect(run).toMatchObject({ id, summary: { hard: 1 }, spent: { calls: 2 + 2, tokens: 2 * 7 } });
  expect(keys).toHaveLength(2);
  const { io, text } = capturedIo(journalDir);
  await checkJournalCommand({ journalDir }, io);
  expect(text()).toMatch(/^uncounted {2}Row 1 holds a reply without token counts\./);
  expect(text()).toMatch(/^uncounted {2}Row 2 .*\nsound {2}/m);
  const opened = await openJournal({ journalDir }, { readOnly: true });
  expect(await readRunReport(opened, id, run.folder)).toMatchObject({ overview: { status: "done" } });
  await opened.close();
});
