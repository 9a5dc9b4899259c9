import { expect, test } from "vitest";
import { priceOf } from "../../adapters/models/prices.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Task } from "../../core/tasks/task.ts";
import { hiddenRuleWorld } from "../../testing/hidden-rule-world.ts";
import { guessableModels } from "../guess.ts";
import { expandConfig } from "../load.ts";
import { resolveConfig } from "./resolve.ts";
import type { Config } from "../schema.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { sharedFolder } from "../state-folder.ts";

const world = hiddenRuleWorld({ seed: 1 });
const jsonl = (tasks: readonly Task[]) => tasks.map((task) => `${JSON.stringify(task)}\n`).join("");
const models = { target: "ollama/small", optimizer: "ollama/large" } as const;

async function resolve(files: Readonly<Record<string, string>>, config: Config, env = {}) {
  const cwd = await tempDir(files);
  return { cwd, resolved: await resolveConfig(await expandConfig(config, cwd, "The config"), { cwd, env }) };
}

test("with neither config nor flags everything is guessed, and said", async () => {
  const files = { "SKILL.md": "# Sort", "evals/evals.json": JSON.stringify(world.tasks(40)) };
  const { cwd, resolved } = await resolve(files, {}, { OPENAI_API_KEY: "sk-x" });
  expect(resolved.guesses).toEqual([
    "skill: SKILL.md",
    "tasks: evals",
    "target: openai/gpt-5.4-nano, because OPENAI_API_KEY is set",
    "optimizer: openai/gpt-5.4, because OPENAI_API_KEY is set",
    "spend: at most 5 USD",
  ]);
  expect(resolved.skill).toEqual({ main: "SKILL.md", files: { "SKILL.md": "# Sort" } });
  expect([resolved.splits.train.length, resolved.splits.val.length, resolved.splits.test.length]).toEqual([
    13, 13, 14,
  ]);
  expect(resolved.spend).toEqual({ usd: 5 });
  expect(resolved.journalDir).toBe(sharedFolder(cwd));
});

test("every model that can be guessed has a known price", () => {
  for (const { target, optimizer } of guessableModels) {
    expect([target, priceOf(target)]).not.toEqual([target, undefined]);
    expect([optimizer, priceOf(optimizer)]).not.toEqual([optimizer, undefined]);
  }
});

test("the defaults are known, and an effort changes some of them", async () => {
  const files = { "SKILL.md": "", "tasks.jsonl": jsonl(world.tasks(40)) };
  const { resolved } = await resolve(files, models);
  expect(resolved.settings).toMatchObject({
    epochs: 4,
    batchSize: 8,
    minibatchSize: 8,
    mergeBatchSize: 8,
    editBudget: 4,
    minEditBudget: 2,
    schedule: "cosine",
    gate: "rules",
    trials: 3,
    attempts: 1,
    metric: "hard",
    seed: 42,
    evalTest: true,
  });
  const quick = await resolve(files, { ...models, effort: "quick", batchSize: 10 });
  expect(quick.resolved.settings).toMatchObject({ epochs: 2, batchSize: 10, trials: 1, claimTrials: "auto" });
  const thorough = await resolve(files, { ...models, effort: "thorough" });
  expect(thorough.resolved.settings).toMatchObject({ epochs: 4, attempts: 3, trials: 5 });
});

test("very few val tasks with one check choose the strict gate; a gate that is given holds", async () => {
  const twice = (task: Task): Task => {
    const { answers = [], ...rest } = task;
    return {
      ...rest,
      checks: answers.flatMap((value) => [
        { kind: "exact", value },
        { kind: "contains", value },
      ]),
    };
  };
  const gateOf = async (tasks: readonly Task[], config: Config = {}) => {
    const { resolved } = await resolve(
      { "SKILL.md": "", "tasks.jsonl": jsonl(tasks) },
      { ...models, ...config },
    );
    return [resolved.splits.val.length, resolved.settings.gate];
  };
  expect(await gateOf(world.tasks(40))).toEqual([13, "rules"]);
  expect(await gateOf(world.tasks(20))).toEqual([6, "rules"]);
  expect(await gateOf(world.tasks(14))).toEqual([14, "rules"]);
  const split = "1:1:1";
  expect(await gateOf(world.tasks(14), { split })).toEqual([5, "strict"]);
  expect(await gateOf(world.tasks(14).map(twice), { split })).toEqual([5, "rules"]);
  expect(await gateOf(world.tasks(14), { split, gate: "rules" })).toEqual([5, "rules"]);
  expect(await gateOf(world.tasks(40), { gate: "off" })).toEqual([13, "off"]);
});

test("what is missing is an error that says how to give it", async () => {
  await expect(resolve({}, models)).rejects.toMatchObject({
    code: "not-found",
    message: /No skill is named/,
  });
  await expect(resolve({ "SKILL.md": "" }, models)).rejects.toMatchObject({ message: /No tasks are named/ });
  const files = { "SKILL.md": "", "tasks.jsonl": jsonl(world.tasks(20)) };
  await expect(resolve(files, {})).rejects.toMatchObject({ message: /No model is named/ });
  await expect(resolve(files, { ...models, tasks: "./none.jsonl" })).rejects.toMatchObject({
    message: /No tasks found at .*none\.jsonl/,
  });
  await expect(resolve(files, { ...models, target: "openai/gpt-5-nano" })).rejects.toMatchObject({
    message: /needs the environment variable OPENAI_API_KEY/,
  });
});

test("splits are read from files, from folders, from aliases and from names of the user's own", async () => {
  const { train, val, test: sealed } = world.splits({ train: 4, val: 3, test: 2 });
  const variants: readonly (readonly [Record<string, string>, Config["splitNames"]])[] = [
    [
      { "t/train.jsonl": jsonl(train), "t/val.json": JSON.stringify(val), "t/test.jsonl": jsonl(sealed) },
      undefined,
    ],
    [
      {
        "t/train/a.json": JSON.stringify({ tasks: train }),
        "t/valid_seen/b.jsonl": jsonl(val),
        "t/test/c.jsonl": jsonl(sealed),
      },
      undefined,
    ],
    [
      { "t/replay.jsonl": jsonl(train), "t/holdout.jsonl": jsonl(val), "t/test.jsonl": jsonl(sealed) },
      undefined,
    ],
    [
      { "t/fit.jsonl": jsonl(train), "t/pick.jsonl": jsonl(val), "t/test.jsonl": jsonl(sealed) },
      { train: "fit", val: "pick" },
    ],
  ];
  for (const [files, splitNames] of variants) {
    const { resolved } = await resolve({ "SKILL.md": "", ...files }, { ...models, tasks: "./t", splitNames });
    expect(resolved.splits).toEqual({ train, val, test: sealed });
  }
});

test("tasks can be rows, one list or three, and a ratio divides only one list", async () => {
  const tasks = world.tasks(12);
  const one = await resolve({ "SKILL.md": "" }, { ...models, tasks, split: "2:1:1" });
  expect(Object.values(one.resolved.splits).map((split) => split.length)).toEqual([6, 3, 3]);
  const parts = { train: tasks.slice(0, 6), val: tasks.slice(6) };
  const three = await resolve({ "SKILL.md": "" }, { ...models, tasks: parts });
  expect(three.resolved.splits).toEqual({ ...parts, test: [] });
  await expect(resolve({ "SKILL.md": "" }, { ...models, tasks: parts, split: "2:1:1" })).rejects.toThrow(
    /already divided/,
  );
});

test("unfair splits and ambiguous folders are refused", async () => {
  const tasks = world.tasks(6);
  const train = jsonl(tasks);
  await expect(
    resolve({ "SKILL.md": "", "t/train.jsonl": train }, { ...models, tasks: "t" }),
  ).rejects.toThrow(/The val split has no tasks/);
  await expect(
    resolve({ "SKILL.md": "", "t/train.jsonl": train, "t/replay.jsonl": train }, { ...models, tasks: "t" }),
  ).rejects.toThrow(
    /replay\.jsonl and train\.jsonl are both the train split|train\.jsonl and replay\.jsonl are both/,
  );
  await expect(
    resolve({ "SKILL.md": "", "t/a.json": "[]", "t/b.json": "[]" }, { ...models, tasks: "t" }),
  ).rejects.toThrow(/contains 2 task files but no train, val or test/);
  await expect(
    resolve({ "SKILL.md": "", "t.jsonl": "{\n" }, { ...models, tasks: "t.jsonl" }),
  ).rejects.toThrow(/t\.jsonl, line 1 isn't valid JSON/);
});

test("a check that cannot work is found before the first call", async () => {
  const [first, ...others] = world.tasks(10);
  const { answers: _, ...broken } = { ...first!, checks: [{ kind: "regex", value: "(" }] };
  await expect(resolve({ "SKILL.md": "" }, { ...models, tasks: [broken, ...others] })).rejects.toMatchObject({
    code: "tasks-invalid",
    message: /Task parcel-0001 can't be scored: check 1 \(regex\)/,
  });
});

test("an environment comes from a module, versioned by its bytes, and scores tasks without answers", async () => {
  const tasks = world.tasks(10).map(({ id, input }) => ({ id, input }));
  const source =
    'export const office = async () => ({ kind: "scored", hard: 1, soft: 1, feedback: "", conversation: [] });';
  const files = { "SKILL.md": "", "env.ts": source };
  const config = { ...models, tasks, environment: "./env.ts#office" };
  const one = (await resolve(files, config)).resolved.environment;
  const same = (await resolve(files, config)).resolved.environment;
  const edited = (await resolve({ ...files, "env.ts": `${source} // stricter` }, config)).resolved
    .environment;
  expect(one.name).toBe("office");
  expect(same.version).toBe(one.version);
  expect(edited.version).not.toBe(one.version);
  await expect(resolve(files, { ...config, environment: "./env.ts#ofice" })).rejects.toThrow(
    /doesn't export an environment "ofice" \(it exports office\)/,
  );
  await expect(resolve(files, { ...models, tasks })).rejects.toThrow(/neither "answers" nor "checks"/);
});

test("prompts are texts or files, under known names", async () => {
  const files = { "SKILL.md": "", "tasks.jsonl": jsonl(world.tasks(10)), "ranking.md": "Rank by reach." };
  const { resolved } = await resolve(files, {
    ...models,
    prompts: { ranking: "./ranking.md", merge_final: "Merge." },
  });
  expect(resolved.settings.prompts).toEqual({ ranking: "Rank by reach.", merge_final: "Merge." });
  await expect(resolve(files, { ...models, prompts: { rankin: "x" } })).rejects.toMatchObject({
    message: '"prompts.rankin" isn\'t an optimizer prompt.',
    hint: 'Did you mean "ranking"?',
  });
});

test("the floor of the edit budget may not be above it, whichever file said so", async () => {
  const files = { "SKILL.md": "", "tasks.jsonl": jsonl(world.tasks(10)) };
  await expect(resolve(files, { ...models, minEditBudget: 6 })).rejects.toThrow(
    '"minEditBudget" is 6; it must be at most "editBudget", 4.',
  );
  const { resolved } = await resolve(files, { ...models, editBudget: 1 });
  expect(resolved.settings.minEditBudget).toBe(1);
});

test("offline needs no key, and a model object is used as it is", async () => {
  const files = { "SKILL.md": "", "tasks.jsonl": jsonl(world.tasks(10)) };
  const offline = await resolve(files, {
    target: "openai/gpt-5-nano",
    optimizer: "openai/gpt-5",
    offline: true,
  });
  expect(offline.resolved.modelObjects.size).toBe(0);
  const own: Model = {
    id: "own/model",
    generate: async () => ({ text: "", finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } }),
  };
  const { resolved } = await resolve(files, { target: own });
  expect(resolved.models).toEqual({
    target: "own/model",
    optimizer: "own/model",
    judge: "own/model",
    miner: "own/model",
  });
  expect(resolved.modelObjects.get("own/model")?.id).toBe(own.id);
});

test("what a person should know about the skill is said; what no agent would load is refused", async () => {
  const frontmatter = "---\nname: sort\ndescription: Sorts.\n---\n";
  const files = {
    "skill/SKILL.md": `${frontmatter}# Sort\n`,
    "skill/references/long.md": "word ".repeat(200),
    "tasks.jsonl": jsonl(world.tasks(20)),
  };
  const config = { ...models, skill: "./skill", tasks: "./tasks.jsonl", spend: { calls: 9 } };
  const { resolved } = await resolve(files, { ...config, tokenBudgets: { reference: 100 } });
  expect(resolved.settings.tokenBudgets).toEqual({ body: 5000, reference: 100 });
  expect(resolved.guesses).toEqual([]);
  expect(resolved.notes).toEqual([
    "skill: references/long.md has about 250 tokens and its budget is 100, so edits can't make it longer. Shorten it, or raise `tokenBudgets.reference` in the config.",
  ]);
  await expect(
    resolve({ ...files, "skill/SKILL.md": "---\nname: sort\n---\n# Sort\n" }, config),
  ).rejects.toThrow("SKILL.md has no description, which agents use to choose a skill.");
});

test("a mistyped agent or provider is refused with the name that was meant", async () => {
  const files = { "SKILL.md": "# Sort", "tasks.jsonl": jsonl(world.tasks(20)) };
  const refused = (target: string) => resolve(files, { ...models, target, spend: { calls: 9 } });
  await expect(refused("klaude-code/sonnet")).rejects.toMatchObject({
    message: 'Unknown agent or provider "klaude-code".',
    hint: "Did you mean claude-code/sonnet? For your own server, use --base-url <url>.",
  });
  await expect(refused("opnai/gpt-5")).rejects.toMatchObject({
    hint: expect.stringMatching(/^Did you mean openai\/gpt-5\?/) as string,
  });
  await expect(refused("somewhere-else/m")).rejects.toThrow('Unknown provider "somewhere-else"');
});

test("what has no effect, and what protects nothing, is said", async () => {
  const frontmatter = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;
  const graded = { id: "graded", input: "Write it.", checks: [{ kind: "command", value: { run: "true" } }] };
  const files = {
    "sort/SKILL.md": frontmatter("sort"),
    "other/SKILL.md": frontmatter("other"),
    "tasks.jsonl": jsonl([...world.tasks(20), graded]),
  };
  const config = { ...models, skill: "./sort", tasks: "./tasks.jsonl", spend: { calls: 9 } };
  const { resolved } = await resolve(files, { ...config, neighbours: ["./other"], sandbox: "none" });
  expect(resolved.guesses).toEqual([]);
  expect(resolved.notes).toEqual([
    expect.stringMatching(/^neighbours: no effect/),
    expect.stringMatching(/^sandbox: none, so agents and graders can/),
  ]);
});

test("a scorer that lies in the skill's folder is no part of the skill, and its text is part of the run", async () => {
  const checks = [{ kind: "custom", value: "./skill/grade.ts#strictly" }];
  const files = {
    "skill/SKILL.md": "---\nname: skill\ndescription: Sorts.\n---\n# Sort\n",
    "skill/grade.ts": "export const strictly = () => true;\n",
    "tasks.jsonl": jsonl(world.tasks(20).map(({ id, input }) => ({ id, input, checks }))),
  };
  const config = { ...models, skill: "./skill", tasks: "./tasks.jsonl", spend: { calls: 9 } };
  const { resolved } = await resolve(files, config);
  expect(Object.keys(resolved.skill.files)).toEqual(["SKILL.md"]);
  expect(resolved.scorerHashes).toEqual({ "./skill/grade.ts": expect.stringMatching(/^[0-9a-f]{16}$/) });
});
