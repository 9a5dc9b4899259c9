import { assert, integer, property } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { WhetstoneError } from "../core/errors.ts";
import type { Task } from "../core/tasks/task.ts";
import { type HiddenRuleWorld, hiddenRuleWorld } from "./hidden-rule-world.ts";
import { type ScriptedServer, startScriptedServer } from "./scripted-server/start-scripted-server.ts";

const world = hiddenRuleWorld({ seed: 11 });
let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer({ seed: 11, world });
});
afterAll(() => server.close());

interface Ask {
  readonly model: string;
  readonly system?: string;
  readonly user: string;
  readonly key: string;
}

const asked = (ask: Ask) => ({
  protocol: "openai-chat" as const,
  model: ask.model,
  system: ask.system ?? "",
  messages: [{ role: "user" as const, content: ask.user }],
  maxTokens: undefined,
  key: ask.key,
  tools: [],
});

const chatBody = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) });

async function askOverHttp(at: ScriptedServer, ask: Ask): Promise<string> {
  const response = await fetch(`${at.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "idempotency-key": ask.key },
    body: JSON.stringify({
      model: ask.model,
      messages: [
        { role: "system", content: ask.system ?? "" },
        { role: "user", content: ask.user },
      ],
    }),
  });
  return chatBody.parse(await response.json()).choices[0].message.content;
}

/** The share of right answers over many keys, and how far chance alone may move it (5 standard deviations). */
async function measure(at: ScriptedServer, skill: string, tasks: readonly Task[], trials: number) {
  let right = 0;
  for (let trial = 0; trial < trials; trial += 1) {
    const answers = await Promise.all(
      tasks.map((task) =>
        askOverHttp(at, {
          model: "a-target",
          system: `${skill}\n\n${task.system}`,
          user: `A task:\n\n${task.input}`,
          key: `${task.id}/${trial}`,
        }),
      ),
    );
    right += answers.filter((answer, index) => answer === tasks[index]?.answers?.[0]).length;
  }
  const calls = trials * tasks.length;
  return { score: right / calls, slack: 5 * Math.sqrt(0.25 / calls) };
}

const overrideOf = (from: HiddenRuleWorld, first: number, second: number) =>
  `Whatever else is written here, parcels of ${from.rules[first]!.topic} and parcels of ${from.rules[second]!.topic} get shelf code Z-000.`;

test("the true score is what a large sample over real sockets comes to", async () => {
  const tasks = world.tasks(60);
  const skills = [
    world.seedSkill(0),
    world.seedSkill(6),
    world.seedSkill(12),
    `${world.seedSkill(12)}\n${overrideOf(world, 0, 1)}`,
  ];
  const scores = skills.map((skill) => world.trueScore(skill, tasks));
  expect(scores[0]).toBeCloseTo(0.25, 10);
  expect(scores[1]).toBeCloseTo((0.25 + 0.92) / 2, 10);
  expect(scores[2]).toBeCloseTo(0.92, 10);
  expect(scores[3]).toBeCloseTo((10 * 0.92 + 2 * 0.05) / 12, 10);
  for (const [index, skill] of skills.entries()) {
    const { score, slack } = await measure(server, skill, tasks, 20);
    expect(Math.abs(score - scores[index]!)).toBeLessThan(slack);
  }
});

test("a target without noise answers a task alike under every key, and the true score knows it exactly", async () => {
  const quiet = hiddenRuleWorld({ seed: 4, noise: 0 });
  await using quietServer = await startScriptedServer({ seed: 4, world: quiet });
  const tasks = quiet.tasks(40);
  const { score } = await measure(quietServer, quiet.seedSkill(5), tasks, 3);
  expect(score).toBeCloseTo(quiet.trueScore(quiet.seedSkill(5), tasks), 10);
});

test.each(["chat/completions", "responses", "messages"])("the target answers over /v1/%s", async (path) => {
  const certain = hiddenRuleWorld({ seed: 2, passWith: 1, passWithout: 0 });
  await using certainServer = await startScriptedServer({ seed: 2, world: certain });
  const [task] = certain.tasks(1);
  const skill = certain.seedSkill(12);
  await fetch(`${certainServer.url}/v1/${path}`, {
    method: "POST",
    body: JSON.stringify({
      model: "target",
      max_tokens: 100,
      system: skill,
      instructions: skill,
      input: task!.input,
      messages: [
        ...(path === "messages" ? [] : [{ role: "system", content: skill }]),
        { role: "user", content: task!.input },
      ],
    }),
  });
  expect(certainServer.calls[0]?.answer?.text).toBe(task!.answers![0]);
});

test("a wrong answer is the code of another rule", () => {
  const wrong = hiddenRuleWorld({ seed: 2, passWithout: 0 });
  const codes = wrong.rules.map((rule) => rule.code);
  expect(new Set(codes).size).toBe(12);
  for (const task of wrong.tasks(100)) {
    const { text } = wrong.reply(asked({ model: "target", user: task.input, key: task.id }));
    expect(codes).toContain(text);
    expect(task.answers).not.toContain(text);
  }
});

test("each task names one topic of its own, needs its rule, and no two tasks are near-duplicates", () => {
  assert(
    property(integer(), integer({ min: 2, max: 40 }), (seed, rules) => {
      const office = hiddenRuleWorld({ seed, rules });
      const tasks = office.tasks(80);
      for (const task of tasks) {
        const named = office.rules.filter((rule) => task.input.includes(rule.topic));
        expect(named.map((rule) => [rule.code])).toEqual([task.answers]);
      }
      expect(new Set(tasks.map((task) => task.id)).size).toBe(80);
      expect(closestPair(tasks)).toBeLessThan(0.8);
    }),
    { numRuns: 25 },
  );
});

function closestPair(tasks: readonly Task[]): number {
  const sets = tasks.map(({ input }) => {
    const words = input.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [];
    return new Set(words.slice(2).map((_, index) => words.slice(index, index + 3).join(" ")));
  });
  let closest = 0;
  for (const [index, one] of sets.entries()) {
    for (const other of sets.slice(index + 1)) {
      const shared = [...one].filter((shingle) => other.has(shingle)).length;
      closest = Math.max(closest, shared / (one.size + other.size - shared));
    }
  }
  return closest;
}

test("topics are equally frequent, and splits share no task", () => {
  const { train, val, test: sealed } = world.splits({ train: 24, val: 36, test: 60 });
  for (const split of [train, val, sealed]) {
    const counts = world.rules.map(({ code }) => split.filter((task) => task.answers?.[0] === code).length);
    expect(new Set(counts)).toEqual(new Set([split.length / 12]));
  }
  const all = [...train, ...val, ...sealed];
  expect(new Set(all.map((task) => task.input)).size).toBe(120);
  expect(all).toEqual(world.tasks(120));
});

test("a skill says which rules it holds and which it turns against", () => {
  const skill = `${world.seedSkill(3)}- ${overrideOf(world, 1, 7)}\n`;
  expect(world.rulesIn(skill)).toEqual({
    held: world.rules.slice(0, 3),
    harmed: [world.rules[1], world.rules[7]],
  });
  expect(world.rulesIn(world.seedSkill(0))).toEqual({ held: [], harmed: [] });
});

const edit = z.strictObject({
  op: z.enum(["append", "insert_after", "replace", "delete"]),
  target: z.string().optional(),
  content: z.string().optional(),
  file: z.string().optional(),
  evidence: z.array(z.string()).min(1),
});
const mergeReply = z.strictObject({
  reasoning: z.string(),
  edits: z.array(edit),
  ranked: z.literal(true).optional(),
});

const askPool = (contract: string, pool: object, budget: number) =>
  world.reply(
    asked({
      model: "optimizer",
      system: `Contract: ${contract}`,
      user: `Edit budget: ${budget}\n\n\`\`\`json\n${JSON.stringify(pool, null, 2)}\n\`\`\`\n`,
      key: "k",
    }),
  ).text;

test.each(["merge_failure", "merge_success", "merge_final"])(
  "%s joins equal edits and orders them",
  (contract) => {
    const append = (content: string, ...evidence: string[]) => ({ op: "append", content, evidence });
    const text = askPool(
      contract,
      {
        patches: [
          { reasoning: "", source: "success", edits: [append("- from success", "s1", "s2", "s3")] },
          { reasoning: "", edits: [append("- one", "a"), append("- two", "b", "c")] },
          { reasoning: "", edits: [append("-  One ", "d", "a", "e")] },
        ],
      },
      2,
    );
    const { edits, ranked } = mergeReply.parse(JSON.parse(text));
    expect(edits).toEqual([
      append("- one", "a", "d", "e"),
      append("- two", "b", "c"),
      append("- from success", "s1", "s2", "s3"),
    ]);
    expect(ranked).toBe(contract === "merge_final" ? true : undefined);
  },
);

test("an unknown contract gets an object without edits, and anything else an ok", () => {
  expect(JSON.parse(askPool("unheard_of", {}, 3))).toMatchObject({ edits: [] });
  for (const model of ["target", "optimizer", "judge"]) {
    expect(world.reply(asked({ model, user: "Are you there?", key: "k" })).text).toBe("ok");
  }
});

test("numbers that make no world are refused with the next step", () => {
  for (const options of [
    { rules: 1 },
    { rules: 41 },
    { passWith: 1.2 },
    { useful: 0, useless: 0, harmful: 0 },
  ]) {
    expect(() => hiddenRuleWorld({ seed: 1, ...options })).toThrow(WhetstoneError);
  }
});

test("long notes are as long as asked for, and neither their topic nor their fate changes", () => {
  const short = hiddenRuleWorld({ seed: 5, noise: 0 });
  const long = hiddenRuleWorld({ seed: 5, noise: 0, noteLength: 1500 });
  const [before, after] = [short.tasks(40), long.tasks(40)];
  for (const [index, task] of after.entries()) {
    expect(task.input).toHaveLength(1500);
    expect(task.input.startsWith(before[index]?.input ?? "nothing")).toBe(true);
    expect(task.type).toBe(before[index]?.type);
  }
  const skill = short.seedSkill(4);
  expect(long.trueScore(skill, after)).toBe(short.trueScore(skill, before));
});
