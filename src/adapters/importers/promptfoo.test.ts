import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { ImportOptions } from "./import-tasks.ts";
import { importTasks } from "./import-tasks.ts";

/** Imports one test with these asserts, written as YAML. */
async function read(asserts: string, more = "", files = {}, options: ImportOptions = {}) {
  const config = `prompts: ["Say {{q}}"]\ntests:\n  - vars: { q: "a word" }\n    assert: ${asserts}\n${more}`;
  const { tasks, notUnderstood, understood } = await importTasks(
    join(await tempDir({ "promptfooconfig.yaml": config, ...files }), "promptfooconfig.yaml"),
    options,
  );
  return { task: tasks[0], notes: notUnderstood.map(({ what, effect }) => `${effect}: ${what}`), understood };
}

test("latency and cost are limits of the rollout, the strictest of each", async () => {
  const { task, notes, understood } = await read(
    "[{ type: contains, value: a }, { type: latency, threshold: 5000 }, { type: latency, threshold: 2500 }, { type: cost, threshold: 0.02 }]",
  );
  expect(task).toMatchObject({ limits: { seconds: 2.5, usd: 0.02 }, checks: [{ kind: "contains" }] });
  expect([notes, understood]).toEqual([
    [],
    ["2 × latency → a limit in seconds", "1 × cost → a limit in usd", "1 × contains → contains"],
  ]);
});

test.each([
  [
    "[{ type: contains, value: a }, { type: not-latency, threshold: 5 }]",
    "",
    "not-latency, a limit that needn't be kept",
  ],
  ["[{ type: contains, value: a }, { type: cost }]", "", "cost, without a threshold above 0"],
  [
    "[{ type: contains, value: a }, { type: latency, threshold: 5 }]",
    "    threshold: 0.5\n",
    "latency, a limit that needn't be kept",
  ],
  [
    "[{ type: contains, value: a }, { type: select-best, value: nice }]",
    "",
    "select-best, which compares outputs",
  ],
])("%s%s is left aside by name, and its task stays valid", async (asserts, more, note) => {
  const { task, notes } = await read(asserts, more);
  expect(notes).toEqual([`ignored: ${note}`]);
  expect(task?.metadata).toEqual({ leftAside: [note.split(",")[0]] });
});

test("an assert that is dropped leaves sets, too, and an empty set goes with it", async () => {
  const set = (inner: string) => `{ type: assert-set, threshold: 0.5, assert: [${inner}] }`;
  const similar = "{ type: similar, value: x }";
  const { task, notes } = await read(
    `[{ type: contains, value: a }, ${set(similar)}, ${set(`${similar}, { type: contains, value: b }`)}]`,
    "",
    {},
    { drop: ["similar"] },
  );
  expect(notes).toEqual(["ignored: similar, dropped", "ignored: similar, dropped"]);
  expect(task?.checks).toEqual([
    { kind: "contains", value: "a" },
    { kind: "all", value: { checks: [{ kind: "contains", value: "b" }], threshold: 0.5 } },
  ]);
});

test("code comes with what it sees; files come whole, and none is run", async () => {
  const { task, notes } = await read(
    `
      - { type: javascript, value: "output.includes('{{q}}')", threshold: 0.5 }
      - { type: not-python, value: "file://checks/long.py:is_long", config: { most: 3 } }
      - { type: assert-set, assert: [{ type: javascript, value: "file://short.mjs" }] }`,
    "",
    { "checks/long.py": "def is_long(output, context): pass\n", "short.mjs": "throw 1" },
  );
  const seen = { vars: { q: "a word" }, prompt: "Say a word" };
  expect(notes).toEqual([]);
  expect(task?.checks).toEqual([
    {
      kind: "code",
      value: { language: "javascript", code: "output.includes('a word')", context: seen, threshold: 0.5 },
    },
    {
      kind: "code",
      negate: true,
      value: {
        language: "python",
        code: "def is_long(output, context): pass\n",
        file: "long.py",
        call: "is_long",
        context: { ...seen, config: { most: 3 } },
      },
    },
    {
      kind: "all",
      value: {
        checks: [
          {
            kind: "code",
            value: { language: "javascript", code: "throw 1", file: "short.mjs", context: seen },
          },
        ],
      },
    },
  ]);
});

test.each([
  ["{ type: javascript, value: 'file://gone.js' }", "javascript: the file gone.js is missing"],
  ["{ type: javascript, value: 'file://../out.js' }", /^javascript: the file \.\.\/out\.js is outside/],
  ["{ type: python, value: 'file://check.rb' }", "python: check.rb isn't JavaScript or Python"],
  ["{ type: javascript }", "javascript without code"],
  ["{ type: python, value: 'file://a b.py' }", /the value of a code check must be/],
])("%s is refused by name", async (assert, why) => {
  const { notes } = await read(`[${assert}]`, "", { "a b.py": "x = 1" });
  expect(notes).toEqual([expect.stringMatching(typeof why === "string" ? `invalid: ${why}` : /^invalid: /)]);
  expect(notes[0]?.slice("invalid: ".length)).toMatch(why);
});

test("a suite's own prompt for its judge is kept with the criterion in it", async () => {
  const prompt = '"Be fair about {{q}}. {{ output }} Criteria: {{ rubric }}"';
  const { task, notes } = await read(
    `[{ type: llm-rubric, value: is kind, threshold: 0.5, rubricPrompt: ${prompt} }]`,
  );
  expect(notes).toEqual([]);
  expect(task?.checks).toEqual([
    {
      kind: "rubric",
      value: { text: "Be fair about a word. (the answer) Criteria: is kind", threshold: 0.5 },
    },
  ]);
  const other = await read("[{ type: llm-rubric, value: is kind, rubricPrompt: Grade it. }]");
  expect(other.notes).toEqual(['invalid: llm-rubric with "rubricPrompt"']);
});

test("asserts on skills and steps of an agent are checks of its events", async () => {
  const { task, notes } = await read(`
      - { type: skill-used, value: reviewing }
      - { type: "trajectory:step-count", value: { type: command, pattern: "*reviewing/SKILL.md*", min: 1 } }
      - { type: "trajectory:step-count", value: { type: tool, name: search, max: 2 } }`);
  expect(notes).toEqual([]);
  expect(task?.checks).toEqual([
    { kind: "skill-loaded", value: "reviewing" },
    {
      kind: "tool-called",
      value: { name: "*", matches: { pattern: "reviewing/SKILL\\.md", flags: "is" }, atLeast: 1 },
    },
    { kind: "tool-called", value: { name: "search", atMost: 2 } },
  ]);
});

test("max-score of one output is the mean that its scores must reach", async () => {
  const { task, notes } = await read(`
      - { type: contains, value: a }
      - { type: icontains, value: b }
      - { type: max-score, value: { threshold: 0.7, weights: { contains: 3 } } }`);
  expect(notes).toEqual([]);
  expect(task?.checks?.[2]).toEqual({
    kind: "all",
    value: {
      checks: [
        { kind: "contains", value: "a", weight: 3 },
        { kind: "icontains", value: "b", weight: 1 },
      ],
      threshold: 0.7,
    },
  });
});

test("a variable without a value is empty in a prompt, and named", async () => {
  const config =
    'prompts: ["{{greeting}} {{q}}"]\ntests: [{ vars: { q: you }, assert: [{ type: contains, value: hi }] }]\n';
  const { tasks, notUnderstood } = await importTasks(join(await tempDir({ "p.yaml": config }), "p.yaml"));
  expect(tasks[0]?.input.trim()).toBe("you");
  expect(notUnderstood).toEqual([
    { where: "test-1", what: "the variable {{greeting}}, empty in its prompt", effect: "ignored" },
  ]);
});

test("tests that are somewhere else are named", async () => {
  const config = "prompts: [a]\ntests: huggingface://datasets/x\n";
  await expect(importTasks(join(await tempDir({ "p.yaml": config }), "p.yaml"))).rejects.toMatchObject({
    message: expect.stringMatching(
      /has no tests that can be read: huggingface:\/\/datasets\/x isn't on this machine\.$/,
    ),
  });
});
