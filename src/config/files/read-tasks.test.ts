import { join } from "node:path";
import { expect, test } from "vitest";
import { readTasks, taskFiles } from "./read-tasks.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";

const config = `
prompts: ["{{q}}"]
tests:
  - { vars: { q: "How tall is it?" }, assert: [{ type: contains, value: metres }] }
  - { vars: { q: "Which colour has snow?" }, assert: [{ type: equals, value: white }] }
  - { vars: { q: "Say something short." }, assert: [{ type: ruby, value: "output.size < 9" }] }
  - file://more.csv
`;
const more = "question,__expected\nWhat do cows drink?,contains: water\n";

test("tasks that cannot be scored are refused by name, with the ways to go on", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": config, "more.csv": more });
  const reading = readTasks(join(dir, "promptfooconfig.yaml"), { seed: 1, needsScoring: true });
  await expect(reading).rejects.toMatchObject({
    code: "tasks-invalid",
    message: expect.stringMatching(/2 tasks can't be scored: test-3, test-4/),
    hint: expect.stringMatching(/with --drop ruby, or .*--skip-invalid.*whetstone import/),
  });
});

test("a check that doesn't exist is named with its file and row, a mistyped file with the one that was meant", async () => {
  const check = { kind: "contians", value: "green" };
  const rows = [{ answers: ["green"] }, { checks: [check] }].map((row) => ({ input: "Grass?", ...row }));
  const dir = await tempDir({ "tasks.jsonl": rows.map((row) => JSON.stringify(row)).join("\n") });
  const path = join(dir, "tasks.jsonl");
  await expect(readTasks(path, { seed: 1, needsScoring: true })).rejects.toMatchObject({
    message: `Task row-2 (${path}, row 2) can't be scored: check 1 has the unknown kind "contians"; did you mean "contains"?`,
  });
  await expect(readTasks(join(dir, "taks.jsonl"), { seed: 1, needsScoring: true })).rejects.toMatchObject({
    code: "not-found",
    hint: expect.stringMatching(/^Did you mean .*tasks\.jsonl\? Name a task file/),
  });
});

test("the way to leave tasks out isn't named where none would be left", async () => {
  const all = `defaultTest: { assert: [{ type: similar, value: snow }, { type: moderation }] }\n${config}`;
  const dir = await tempDir({ "promptfooconfig.yaml": all, "more.csv": more });
  const path = join(dir, "promptfooconfig.yaml");
  await expect(readTasks(path, { seed: 1, needsScoring: true })).rejects.toMatchObject({
    message: expect.stringContaining("4 tasks can't be scored"),
    hint: `Fix the checks, or leave such asserts out with --drop similar --drop moderation --drop ruby. \`whetstone import ${path}\` lists what it couldn't understand.`,
  });
});

test("by explicit word they are left out, and that is said", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": config, "more.csv": more.replace("question", "q") });
  const said: string[] = [];
  const splits = await readTasks(join(dir, "promptfooconfig.yaml"), {
    seed: 1,
    needsScoring: true,
    ratio: [1, 1, 1],
    skipInvalid: true,
    onSkip: (sentence) => said.push(sentence),
  });
  expect(
    Object.values(splits)
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(["test-1", "test-2", "test-4"]);
  expect(said).toEqual(["left out because they can't be scored: test-3"]);
});

test("drafts that belong with a task that judges are left out at every seed, and that is said", async () => {
  const about = (what: string, group?: string) => ({
    id: what,
    input: `Where is the ${what}?`,
    answers: ["there"],
    ...(group === undefined ? {} : { group }),
  });
  const reviewed = ["river", "cloud", "table", "lamp", "wolf", "bridge"].map((what) => about(what, what));
  const beside = { ...about("beside", "river"), draft: true };
  const copy = { ...about("cloud"), id: "copy", draft: true };
  const alone = { ...about("alone"), draft: true };
  const homes = { beside: "river", copy: "cloud" };
  for (let seed = 0; seed < 8; seed += 1) {
    const said: string[] = [];
    const { train } = await readTasks([...reviewed, beside, copy, alone], {
      seed,
      needsScoring: true,
      ratio: [1, 1, 1],
      onSkip: (sentence) => said.push(sentence),
    });
    const trained = train.map(({ id }) => id);
    expect(trained).toContain("alone");
    const left = Object.entries(homes).flatMap(([id, home]) => (trained.includes(home) ? [] : [id]));
    expect(Object.keys(homes).filter((id) => !trained.includes(id))).toEqual(left);
    expect(said.map((sentence) => sentence.split(": ")[1])).toEqual(
      left.length === 0 ? [] : [left.join(", ")],
    );
  }
});

test("an environment of one's own scores by itself, so nothing is refused", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": config, "more.csv": more });
  const splits = await readTasks(join(dir, "promptfooconfig.yaml"), {
    seed: 1,
    needsScoring: false,
    ratio: [1, 1, 1],
  });
  expect(Object.values(splits).flat()).toHaveLength(4);
});

test("the files that tasks name count as theirs, so that no skill holds the answers", async () => {
  const dir = await tempDir({ "promptfooconfig.yaml": config, "more.csv": more });
  expect(await taskFiles(dir, dir)).toEqual([dir, join(dir, "promptfooconfig.yaml"), join(dir, "more.csv")]);
  const checks = [{ kind: "custom", value: "./grade.ts#strictly" }];
  expect(await taskFiles([{ id: "1", input: "?", checks }], dir)).toEqual([join(dir, "grade.ts")]);
});
