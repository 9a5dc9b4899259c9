import { expect, test } from "vitest";
import { minedTask } from "../../../test/support/mined-tasks.ts";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import type { MinedTask, RecordedTalk } from "../../core/ports/mined-task.ts";
import { tryTalks } from "./try-talks.ts";

const talk: RecordedTalk = {
  commit: "c".repeat(40),
  before: [{ prompt: "What is in here?", answer: "A shop." }],
  input: "Add zod.",
  correction: "no, use pnpm",
  recorded: { answer: "Added zod.", did: ["ran npm install zod"] },
  corrected: { answer: "Added zod.", did: ["ran pnpm add zod"] },
};
const mined = (id: string, rest: Partial<MinedTask> = {}) =>
  minedTask(id, "Add zod as a dependency.", [`claude-code:${id}`], { kind: "correction", talk, ...rest });

/** A judge that would have corrected every answer that the pattern fits. */
const judgedBy = (corrects: RegExp) =>
  scriptedContext(({ messages }) => {
    const did = /^BEGIN tools called \(answer\) \w+\n(.*)/m.exec(messages[0]?.content ?? "")?.[1] ?? "";
    return JSON.stringify({ reason: "", score: corrects.test(did) ? 0 : 1 });
  });

test("a talk is tried again if the judge would have corrected how it went, and not how it went on", async () => {
  const context = await judgedBy(/"npm install/);
  const tried = await tryTalks([mined("a"), minedTask("b", "List files.", ["claude-code:b"])], "1", context);
  expect(tried).toMatchObject({ tasks: [{ task: { id: "a" }, talk }, { task: { id: "b" } }], dropped: [] });
  const asked = context.requests.flatMap(({ messages }) => messages.map(({ content }) => content)).join("\n");
  expect(asked).toContain("The person: What is in here?\n\nThe agent: A shop.");
  expect(asked).toContain('would not have had to type this afterwards: "no, use pnpm"');
});

test.each([
  [/^no answer$/, "from the original ending, the judge can't tell why you corrected it"],
  [/./, "the judge says that you would have corrected the later ending too"],
])(
  "one that it says anything else of is left out by name, and its task stays if it has a check (%s)",
  async (corrects, why) => {
    const context = await judgedBy(corrects);
    const { tasks, dropped } = await tryTalks([mined("a"), mined("b", { isTalkAlone: true })], "1", context);
    expect(tasks.map(({ task, talk: left }) => [task.id, left])).toEqual([["a", undefined]]);
    expect(dropped).toEqual(
      ["a", "b"].map((id) => ({
        conversation: `claude-code:${id}`,
        what: "no, use pnpm",
        reason: expect.stringContaining(why),
      })),
    );
  },
);
