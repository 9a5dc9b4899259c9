import { join } from "node:path";
import { expect, test } from "vitest";
import { readTasks, taskFiles } from "./read-tasks.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";

const config = `
prompts: ["{{q}}"]
tests:
  - { vars: { q: "How tall is it?" }, assert: [{ type: contains, value: metres }] }
  - { vars: { q: "Which colour has snow?" }, assert: [{ type: equals, value: white }] }
  - { vars: { q: "Say something short." }, assert: [{ type: python, value: "len(output) < 9" }] }
  - file://more.csv
`;
const more = "question,__expected\nWhat do cows drink?,contains: water\n";

test("tasks that cannot be scored are refused by name, with the ways to go on", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": config, "more.csv": more });
  const reading = readTasks(join(dir, "promptfooconfig.yaml"), { seed: 1, needsScoring: true });
  await expect(reading).rejects.toMatchObject({
    code: "tasks-invalid",
    message: expect.stringMatching(/2 tasks cannot be scored: test-3, test-4/),
    hint: expect.stringMatching(/--skip-invalid.*whetstone import/),
  });
});

test("by explicit word they are left out, and that is said", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": config, "more.csv": more.replace("question", "q") });
  const said: string[] = [];
  const splits = await readTasks(join(dir, "promptfooconfig.yaml"), {
    seed: 1,
    needsScoring: true,
    skipInvalid: true,
    onSkip: (sentence) => said.push(sentence),
  });
  expect(
    Object.values(splits)
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(["test-1", "test-2", "test-4"]);
  expect(said).toEqual(["left out because they cannot be scored: test-3"]);
});

test("an environment of one's own scores by itself, so nothing is refused", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": config, "more.csv": more });
  const splits = await readTasks(join(dir, "promptfooconfig.yaml"), { seed: 1, needsScoring: false });
  expect(Object.values(splits).flat()).toHaveLength(4);
});

test("the files that tasks name count as theirs, so that no skill holds the answers", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": config, "more.csv": more });
  expect(await taskFiles(dir, dir)).toEqual([dir, join(dir, "promptfooconfig.yaml"), join(dir, "more.csv")]);
  const checks = [{ kind: "custom", value: "./grade.ts#strictly" }];
  expect(await taskFiles([{ id: "1", input: "?", checks }], dir)).toEqual([join(dir, "grade.ts")]);
});
