import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import type { Model, Reply } from "../../core/ports/model.ts";
import { verify } from "../reports/verify.ts";
import { compare } from "./compare.ts";
import { evaluate } from "./evaluate.ts";

const tasks = Array.from({ length: 14 }, (_, at) => ({
  id: `t${at}`,
  input: `Task ${at}.`,
  answers: ["right"],
}));
const [train, val, ...test14] = tasks;
const good: Reply = { text: "right", finish: "stop", usage: { inputTokens: 5, outputTokens: 2 } };
const failed: Reply = { text: "", finish: "stop", usage: { inputTokens: 5, outputTokens: 0 } };

/** Compares a text with an earlier one; how often each (text, task) was asked is counted. */
async function compareWith(reply: (text: string, task: string, nth: number) => Partial<Reply>) {
  const asked = new Map<string, number>();
  const target: Model = {
    id: "mine/model",
    async generate({ system = "", messages }) {
      const [text, task] = [system.slice(0, 3), messages[0]?.content ?? ""];
      const name = `${text} ${task}`;
      const nth = (asked.get(name) ?? 0) + 1;
      asked.set(name, nth);
      return { ...good, ...reply(text, task, nth) };
    },
  };
  const journal = await tempDir();
  const start = () =>
    compare({
      skill: singleFileSkill("new"),
      baseline: singleFileSkill("old"),
      tasks: { train: [train as (typeof tasks)[0]], val: [val as (typeof tasks)[0]], test: test14 },
      on: "test",
      trials: 1,
      target,
      spend: { calls: 500 },
      journal,
    });
  return { asked, start, journal };
}

test("a target's odd replies are scores of their arm, named and counted; no start asks again", async () => {
  const odd: Record<string, Partial<Reply>> = {
    "new Task 3.": { text: "", finish: "length" },
    "new Task 4.": { text: "", finish: "content-filter", usage: { inputTokens: 0, outputTokens: 0 } },
    "old Task 5.": { text: "" },
  };
  const { asked, start, journal } = await compareWith((text, task) => odd[`${text} ${task}`] ?? {});
  const { id, summary } = await start();
  expect(summary).toMatchObject({
    unusable: { before: { empty: 1 }, after: { cut: 1, refused: 1 } },
    claim: { missing: 0, wins: 1, losses: 2 },
  });
  expect(summary.sentence).toContain(
    "Unusable replies count as they were scored: 1 empty before, 1 cut off, 1 refused after.",
  );
  const calls = [...asked.values()];
  expect((await start()).summary).toEqual(summary);
  expect([...asked.values()]).toEqual(calls);
  expect(await verify({ of: id, journal })).toMatchObject({ holds: true });
});

test("where the provider reports that it failed, both arms are asked again alike, and the third reply stands", async () => {
  const { asked, start } = await compareWith((_, task, nth) => {
    if (task === "Task 6.") return nth === 1 ? failed : {};
    if (task === "Task 7.") return nth < 3 ? { finish: "none" } : {};
    return task === "Task 8." ? failed : {};
  });
  const { summary } = await start();
  // preflight asks about the longest task, which is none of these
  const times = ["6", "7", "8", "9"].map((at) =>
    ["old", "new"].map((text) => asked.get(`${text} Task ${at}.`)),
  );
  expect(times).toEqual([
    [2, 2],
    [3, 3],
    [3, 3],
    [1, 1],
  ]);
  expect(summary).toMatchObject({ unusable: { before: { empty: 1 }, after: { empty: 1 } } });
  await start();
  expect(asked.get("new Task 8.")).toBe(3);
});

/** Measures one val task with this target. */
const measureOne = async (target: Model) =>
  evaluate({
    target,
    skill: singleFileSkill("new"),
    tasks: { train: tasks.slice(0, 1), val: tasks.slice(1, 2), test: tasks.slice(2, 3) },
    spend: { calls: 50 },
    journal: await tempDir(),
  });

test("a single odd reply is a score, and says nothing about a share", async () => {
  const target: Model = { id: "mine/model", generate: async () => ({ ...good, text: "", finish: "length" }) };
  expect((await measureOne(target)).summary).toMatchObject({ hard: 0, replies: [{ reply: "cut" }] });
});
