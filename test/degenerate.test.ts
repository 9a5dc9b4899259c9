import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { commandRunner } from "../src/adapters/sandboxes/command-runner.ts";
import { noSandbox } from "../src/adapters/sandboxes/no-sandbox.ts";
import { scoringThreads } from "../src/adapters/scoring/scoring-threads.ts";
import { createProgram } from "../src/apps/cli/program.ts";
import { loadConfig } from "../src/config/load.ts";
import { resolveConfig } from "../src/config/resolve/resolve.ts";
import { tempDir } from "./support/temp-dir.ts";
import { degenerateAnswers } from "../src/core/scorers/degenerate-answers.ts";
import { said, scoreTask } from "../src/core/scorers/score-task.ts";
import { canRun } from "../src/core/scorers/runnable.ts";
import type { ScoringTools } from "../src/core/scorers/performance.ts";
import { blocksClaim, describeDegenerate, tryDegenerate } from "../src/core/scorers/try-degenerate.ts";
import type { Context } from "../src/core/context.ts";
import { claimVerdict } from "../src/core/gate/claim/claim-verdict.ts";
import { tryBlindAnswers, weighBlind } from "../src/core/measure/blind-answers.ts";
import { claimPairs } from "../src/core/measure/claim-pairs.ts";
import type { Trials } from "../src/core/measure/trials.ts";
import { seededRandom } from "../src/core/random.ts";
import { ownText } from "../src/core/scorers/own-values.ts";
import { claimSentence } from "../src/core/verdict-words.ts";
import type { Check, Task } from "../src/core/tasks/task.ts";
import { startScriptedServer } from "../src/testing/scripted-server/start-scripted-server.ts";
import { capturedIo } from "./support/captured-io.ts";

const aside = scoringThreads();
const never = new AbortController().signal;
const grader = commandRunner(noSandbox());
const tools: ScoringTools = {
  aside,
  command: (request) => grader(request, never),
  custom: new Map([["./scorers.ts#short", (_, { text }) => text.length < 10 && text.includes("42")]]),
};

const withChecks = (...checks: readonly Check[]): Task => ({ id: "t", input: "What is 6 × 7?", checks });

/** What is said of tasks, each name with whether it stops a claim. */
async function tried(tasks: readonly Task[], waive: readonly string[] = []) {
  const { degenerate } = await tryDegenerate(tasks, tools, waive);
  return Object.fromEntries(
    degenerate.map((found) => [
      found.check,
      blocksClaim(found) ? "blocks" : found.waived ? "waived" : "named",
    ]),
  );
}

test.each<readonly [string, Check["value"]]>([
  ["exact", "42"],
  ["contains", "42"],
  ["icontains", "forty-two"],
  ["starts-with", "42"],
  ["regex", "\\b42\\b"],
  ["regex", "^4+2*$"],
  ["f1", { text: "forty two", threshold: 0.5 }],
  ["number", 42],
  ["number", { value: -7.5, relative: 0.5 }],
  ["json-schema", { type: "object", required: ["answer"] }],
  ["json-schema", { type: "number", minimum: 41 }],
  ["section", { heading: "## Answer", contains: "42" }],
  ["tool-called", "calculator"],
  ["file", { path: "answer.txt", contains: "42" }],
  ["file", { path: "answer.txt", matches: "^4+2$" }],
  ["command", { run: "grep -q 42 answer.txt" }],
  ["custom", "./scorers.ts#short"],
  [
    "all",
    {
      checks: [
        { kind: "json", value: true },
        { kind: "contains", value: "42" },
      ],
    },
  ],
  [
    "any",
    {
      checks: [
        { kind: "number", value: 42 },
        { kind: "exact", value: "forty-two" },
      ],
    },
  ],
])("no answer that knows nothing passes a check of the kind %s (%j)", async (kind, value) => {
  const task = { ...withChecks({ kind, value }), files: { "question.txt": "6 × 7" } };
  for (const answer of degenerateAnswers([task]).filter(({ knows }) => knows === "nothing")) {
    const score = await scoreTask(task, answer.of(task) ?? said(""), tools);
    expect([answer.name, score]).toEqual([answer.name, expect.objectContaining({ hard: 0 })]);
  }
  expect(Object.values(await tried([task]))).not.toContain("blocks");
});

test("a list of accepted answers, and kinds that nobody can try here, stop no claim", async () => {
  expect(await tried([{ id: "t", input: "What is 6 × 7?", answers: ["42"] }])).toEqual({});
  expect(await tried([withChecks({ kind: "rubric", value: "Names 42." })])).toEqual({});
  expect(await tried([withChecks({ kind: "trigger", value: true })])).toEqual({});
});

const bad = (id: string): Task => ({ ...withChecks({ kind: "contains", value: "sorry", negate: true }), id });
const good = (id: string): Task => ({
  ...withChecks({ kind: "contains", value: "42" }, { kind: "contains", value: "sorry", negate: true }),
  id,
});

test("what is passed on half of the tasks that use it blocks a claim; what forbids beside what asks does not", async () => {
  expect(await tried([bad("1"), bad("2"), good("3"), good("4")])).toMatchObject({ "not contains": "blocks" });
  expect(await tried([bad("1"), good("2"), good("3"), good("4")])).toEqual({
    contains: "named",
  });
  expect(await tried([withChecks({ kind: "json", value: true })])).toEqual({ json: "blocks" });
  expect(await tried([withChecks({ kind: "json", value: true }, { kind: "number", value: 42 })])).toEqual({});
  // the files that lay there already, and a grader that passes them
  const untouched = {
    ...withChecks({ kind: "command", value: { run: "test -f a.txt" } }),
    files: { "a.txt": "" },
  };
  expect(await tried([untouched])).toEqual({ command: "blocks" });
  const empty = {
    ...withChecks({ kind: "file", value: { path: "a.txt", exists: false } }),
    files: { "a.txt": "" },
  };
  const { degenerate } = await tryDegenerate([empty], tools);
  expect(degenerate.map(describeDegenerate)).toEqual([
    "file is passed by an empty workspace on 1 of 1 task that uses it",
  ]);
});

test("half of all tasks blocks a claim also where no kind of check is to blame", async () => {
  const [one, other]: readonly Check[] = [
    { kind: "contains", value: "sorry", negate: true },
    { kind: "regex", value: "sorry", negate: true },
  ];
  const tasks = [
    [one],
    [other],
    [one, other, { kind: "number", value: 42 }],
    [one, other, { kind: "number", value: 1 }],
  ];
  expect(
    await tried(tasks.map((checks, at) => ({ ...withChecks(...(checks as Check[])), id: `${at}` }))),
  ).toEqual({
    tasks: "blocks",
  });
});

test("a name waives a check, of all tasks or of one", async () => {
  const tasks = [bad("1"), good("2")];
  expect(await tried(tasks)).toMatchObject({ "not contains": "blocks" });
  expect(await tried(tasks, ["not contains"])).toMatchObject({ "not contains": "waived" });
  expect(await tried(tasks, ["not contains:1"])).not.toMatchObject({ "not contains": "blocks" });
});

const examples = join(import.meta.dirname, "../examples");
/** Benchmarks are programs with tasks of their own; a plugin has its config in memory. Proofs run both. */
const folders = readdirSync(examples).filter(
  (name) => statSync(join(examples, name)).isDirectory() && !["benchmarks", "plugin-eval"].includes(name),
);

test.each(folders)("no answer that knows nothing passes half of examples/%s", async (folder) => {
  const cwd = join(examples, folder);
  const { config } = await loadConfig(cwd);
  const models = { target: "openai/any", optimizer: "openai/any" };
  const { splits, customScorers } = await resolveConfig(
    { ...config, ...models },
    { cwd, env: {}, withoutCalls: true },
  );
  const tasks = Object.values(splits).flat();
  expect(tasks.length).toBeGreaterThan(0);
  const { degenerate, slow } = await tryDegenerate(tasks, { ...tools, custom: customScorers ?? new Map() });
  expect(degenerate.filter(blocksClaim).map(describeDegenerate)).toEqual([]);
  expect(slow).toEqual([]);
  const told = tasks.filter(
    (task) => ownText(task) !== "" && (task.checks ?? []).every((one) => canRun(one, tools)),
  );
  if (told.length < 8) return;
  expect(await claimOn(told, (task) => ownText(task))).not.toHaveProperty("reason");
});

/** A project whose tasks an empty answer passes, and a server that counts who calls. */
async function openBad(
  checksOf = (at: number): readonly Check[] => [{ kind: "contains", value: `sorry ${at}`, negate: true }],
) {
  const server = await startScriptedServer({ seed: 1, world: { reply: () => ({ text: "I am well." }) } });
  onTestFinished(() => server.close());
  const tasks = Array.from({ length: 30 }, (_, at) => ({
    id: `t${at}`,
    input: `Tell customer number ${at} how parcel ${at * 7} fares, in words of your own.`,
    checks: checksOf(at),
  }));
  const cwd = await tempDir({
    "SKILL.md": "# Parcels\n\nBe kind.\n",
    "other.md": "# Parcels\n\nBe brief.\n",
    "tasks.json": JSON.stringify(tasks),
  });
  const models = ["--target", "office/target", "--base-url", `${server.url}/v1`, "--spend-calls", "2000"];
  const run = async (...args: readonly string[]) => {
    const { io, text } = capturedIo(cwd);
    const error: unknown = await createProgram(io, "0")
      .exitOverride()
      .parseAsync(["node", "whetstone", ...args])
      .then(
        () => undefined,
        (caught: unknown) => caught,
      );
    return { error, text: stripVTControlCharacters(text()).replaceAll(/\s+/g, " ") };
  };
  const file = (name: string) => join(cwd, name);
  const ofTasks = ["--tasks", file("tasks.json"), ...models, "--journal", file(".whetstone")];
  return { server, run, file, ofTasks };
}

test("plan and doctor evals name what an empty answer passes; train, compare, eval and prune stop before the first call", async () => {
  const { server, run, file, ofTasks } = await openBad();
  const optimizer = ["--optimizer", "office/optimizer"];
  const said = "not contains is passed by an empty answer on 30 of 30 tasks that use it";
  const plan = await run("plan", file("SKILL.md"), ...ofTasks, ...optimizer);
  expect(plan.text).toContain(`No claim will be made: ${said}`);
  const doctor = await run("doctor", "evals", file("SKILL.md"), ...ofTasks);
  expect(doctor.text).toContain(said);
  expect(doctor.error).toMatchObject({ code: "failed" });
  for (const args of [
    ["train", file("SKILL.md"), ...optimizer],
    ["compare", file("SKILL.md"), file("other.md")],
    ["eval", file("SKILL.md"), "--baseline", file("other.md")],
    ["prune", file("SKILL.md"), "--margin", "50"],
  ]) {
    const { error } = await run(...args, ...ofTasks);
    expect([args[0], error]).toEqual([args[0], expect.objectContaining({ code: "checks-degenerate" })]);
    expect((error as { readonly hint?: string }).hint).toContain('--waive "not contains"');
  }
  expect(server.callCount).toBe(0);
});

test("plan says what to do where an answer that lists every option would pass", async () => {
  const options = ["on its way", "delivered", "lost"];
  const { run, file, ofTasks } = await openBad((at) => [{ kind: "contains", value: options[at % 3] ?? "" }]);
  const { text } = await run("plan", file("SKILL.md"), ...ofTasks, "--optimizer", "office/optimizer");
  expect(text).toMatch(/contains is passed by .* on 30 of 30 tasks that use it/);
  expect(text).toContain("Ask for the answer alone and check all of it with `answers` or `exact`");
  expect(text).not.toContain("No claim will be made");
});

test("waived by name, a comparison runs; a name that waives nothing is refused", async () => {
  const { server, run, file, ofTasks } = await openBad();
  const compare = ["compare", file("SKILL.md"), file("other.md"), ...ofTasks];
  const wrong = await run(...compare, "--waive", "not contain");
  expect(wrong.error).toMatchObject({ code: "config-invalid", hint: 'Did you mean "not contains"?' });
  expect(server.callCount).toBe(0);
  const { error, text } = await run(...compare, "--waive", "not contains");
  expect(error).toBeUndefined();
  expect(text).toMatch(/no difference on these tasks against .*: 100\.0% → 100\.0%/);
  expect(server.callCount).toBeGreaterThan(60);
  const plan = await run(
    "plan",
    file("SKILL.md"),
    ...ofTasks,
    "--optimizer",
    "office/o",
    "--waive",
    "not contains",
  );
  expect(plan.text).toContain("Waived: not contains");
});

const context = {
  environment: { throughContext: true },
  settings: { track: "body", metric: "hard", mixedWeight: 0.5 },
  scoreAside: aside,
} as unknown as Context;

/** One trial of each task, with what a skill answers. */
async function armOf(tasks: readonly Task[], answer: (task: Task, at: number) => string): Promise<Trials> {
  const rolled = await Promise.all(
    tasks.map(async (task, at) => {
      const text = answer(task, at);
      const score = await scoreTask(task, said(text, task), tools);
      if ("kind" in score) throw new Error(score.reason);
      const conversation = [{ role: "assistant" as const, content: text }];
      return { task, outcome: { kind: "scored" as const, ...score, conversation } };
    }),
  );
  return { rolled: [rolled], scores: rolled.map(({ outcome }) => [outcome.hard]) };
}

/** A claim on tasks whose earlier skill says nothing of use. */
async function claimOn(tasks: readonly Task[], answer: (task: Task, at: number) => string) {
  const [before, after] = [await armOf(tasks, () => "I do not know"), await armOf(tasks, answer)];
  const pairs = claimPairs(tasks, before.scores, after.scores);
  const blind = await tryBlindAnswers({ tasks, before, after, pairs }, context);
  return weighBlind(claimVerdict(pairs, { alpha: 0.05 }), blind);
}

const labelled = (values: readonly string[], check: (value: string) => Partial<Task>): readonly Task[] =>
  values.map((value, at) => ({
    id: `t${at}`,
    input: `Question ${"abcdefgh"[at % 8]}${at * 7919}?`,
    ...check(value),
  }));

const cycle = (values: readonly string[], count = 40): readonly string[] =>
  Array.from({ length: count }, (_, at) => values[at % values.length] ?? "");

const containing = (value: string) => ({ checks: [{ kind: "icontains", value }] });
const matching = (value: string) => ({ checks: [{ kind: "regex", value: `\\b${value}\\b` }] });
const labels = ["bug", "feature", "question", "docs"];
const numbers = Array.from({ length: 201 }, (_, at) => String(at));

test.each<readonly [string, readonly Task[], string, "listed" | "same"]>([
  ["all labels", labelled(cycle(labels), containing), labels.join(" "), "listed"],
  ["all numbers", labelled(numbers.slice(1, 41), matching), numbers.join(" "), "listed"],
  ["three of four labels", labelled(cycle(labels), containing), "bug, docs or feature", "listed"],
  [
    "both of two, 95 to 5",
    labelled([...cycle(["ham"], 38), "spam", "spam"], containing),
    "spam or ham",
    "listed",
  ],
  ["valid and invalid", labelled(cycle(["valid", "invalid"]), containing), "valid, invalid", "listed"],
  ["what holds the other, always", labelled(cycle(["valid", "invalid"]), containing), "invalid", "same"],
  [
    "the two most frequent of ten",
    labelled(
      [...cycle(["bug", "docs"], 26), ...cycle("abcdefgh".split(""), 14)].map((one) => `${one}!`),
      containing,
    ),
    "bug! docs!",
    "same",
  ],
])("joined answers withhold a claim: %s", async (_, tasks, answer, how) => {
  const claim = await claimOn(tasks, () => answer);
  expect(claim).toMatchObject({ verdict: "withheld", reason: "joined-answers", joined: { how } });
  expect(claimSentence(claim)).toMatch(/^Withheld: .* Ask for one answer .* Best constant answer: /);
  const worse = weighBlind({ verdict: "worse" as const }, { joined: claim.joined });
  expect(worse.verdict).toBe("worse");
});

test("a constant answer withholds nothing, and better is only said of what is above it", async () => {
  const tasks = labelled([...cycle(["ham"], 36), ...cycle(["spam"], 4)], (value) => ({ answers: [value] }));
  const constant = await claimOn(tasks, () => "ham");
  expect(constant).toMatchObject({
    verdict: "not-proven",
    reason: "constant-answer",
    constant: { tasks: 40, untried: 0, best: { answer: "ham", score: 0.9, after: 0.9 } },
  });
  expect(claimSentence(constant)).toMatch(
    /^Not proven: .* One constant answer does at least as well\. .*Best constant answer: 90/,
  );
  expect(await claimOn(tasks, (task) => ownText(task))).toMatchObject({
    verdict: "better",
    constant: { best: { score: 0.9 } },
  });
  // one value alone is what a skill teaches
  const alike = labelled(cycle(["Kind regards"]), containing);
  expect(await claimOn(alike, () => "Kind regards")).toMatchObject({
    verdict: "better",
    constant: { values: 1, best: { score: 1 } },
  });
  // what needs a judge or a grader is named and not counted
  const judged = tasks.map((task, at) =>
    at < 30 ? task : { id: task.id, input: task.input, checks: [{ kind: "rubric", value: "Is kind." }] },
  );
  const arm = await armOf(tasks, (task) => ownText(task));
  const pairs = claimPairs(judged, arm.scores, arm.scores);
  const blind = await tryBlindAnswers({ tasks: judged, before: arm, after: arm, pairs }, context);
  expect(blind.constant).toMatchObject({ tasks: 30, untried: 10, best: { score: 1 } });
});

test("compare withholds the audit's case in its words, JSON and exit code", async () => {
  const world = {
    reply: (request: object) => ({
      text: JSON.stringify(request).includes("CHEAT") ? labels.join(" ") : "No idea.",
    }),
  };
  const server = await startScriptedServer({ seed: 1, world });
  onTestFinished(() => server.close());
  const cwd = await tempDir({
    "A.md": "Answer.\n",
    "B.md": "CHEAT.\n",
    "tasks.json": JSON.stringify(labelled(cycle(labels), containing)),
  });
  const run = async (...args: readonly string[]) => {
    const { io, text } = capturedIo(cwd);
    const all = ["compare", join(cwd, "A.md"), join(cwd, "B.md"), "--tasks", join(cwd, "tasks.json")];
    const place = [
      "--target",
      "office/target",
      "--base-url",
      `${server.url}/v1`,
      "--journal",
      join(cwd, "journal"),
    ];
    const error: unknown = await createProgram(io, "0")
      .exitOverride()
      .parseAsync(["node", "whetstone", ...all, ...place, "--spend-calls", "2000", ...args])
      .then(
        () => undefined,
        (caught: unknown) => caught,
      );
    return { error, text: stripVTControlCharacters(text()) };
  };
  const plain = await run("--fail-on", "worse");
  expect(plain.error).toBeUndefined();
  expect(plain.text).toMatch(/^withheld against/m);
  const words = plain.text.replaceAll(/\s+/g, " ");
  expect(words).toContain("On 40 of 40 tasks, the later skill's reply lists most of the values");
  expect(words).toContain("Best constant answer: 25.0%");
  const { error } = await run("--fail-on", "not-better");
  expect(error).toMatchObject({ message: 'The verdict is "withheld", and --fail-on is not-better.' });
  const { text } = await run("--json");
  const end = text.split("\n").findLast((line) => line.includes('"joined-answers"')) ?? "{}";
  expect(JSON.stringify(JSON.parse(end))).toContain('"verdict":"withheld"');
});

const twoClasses: readonly (readonly [string, string])[] = [
  ["valid", "invalid"],
  ["spam", "not spam"],
  ["ham", "spam"],
  ["yes", "no"],
  ["true", "false"],
];
const ways: readonly ((value: string) => Partial<Task>)[] = [
  (value) => ({ answers: [value] }),
  (value) => ({ checks: [{ kind: "exact", value }] }),
  containing,
  (value) => ({
    checks: [
      { kind: "contains", value },
      { kind: "json", value: true, negate: value === "no" },
    ],
  }),
  matching,
  (value) => ({ checks: [{ kind: "regex", value }] }),
  (value) => ({ checks: [{ kind: "regex", value: { pattern: `^\\W*${value}\\b`, flags: "i" } }] }),
  (value) => ({
    checks: [
      {
        kind: "json-schema",
        value: { type: "object", required: ["is"], properties: { is: { const: value } } },
      },
    ],
  }),
];

test("200 sets of two classes, of any balance: an answer that tells them apart is never withheld", async () => {
  const random = seededRandom("two classes", 1);
  let better = 0;
  for (let nth = 0; nth < 200; nth += 1) {
    const classes = twoClasses[nth % twoClasses.length] as readonly [string, string];
    const way = ways[nth % ways.length] as (typeof ways)[number];
    const [count, share, errors] = [20 + Math.floor(40 * random()), random(), 0.2 * random()];
    const values = Array.from({ length: count }, () => classes[random() < share ? 0 : 1]);
    const isJson = way === ways.at(-1);
    const tasks = labelled(values, way);
    const claim = await claimOn(tasks, (_, at) => {
      const right = values[at] as string;
      const said = random() >= errors ? right : classes.find((one) => one !== right);
      return isJson ? JSON.stringify({ is: said }) : String(said);
    });
    const { constant, reason } = claim;
    expect([nth, claim.verdict, claim.joined]).toEqual([
      nth,
      expect.not.stringMatching("withheld"),
      undefined,
    ]);
    // the word is lost only where one fixed answer does as well
    if (reason !== undefined)
      expect(constant?.best?.score).toBeGreaterThanOrEqual(constant?.best?.after ?? 1);
    if (claim.verdict === "better") better += 1;
  }
  expect(better).toBeGreaterThan(120);
}, 120_000);

const objects = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => ({ i })));

/** Answers that took seconds or minutes on the event loop. */
const slowAnswers: readonly (readonly [check: Check, text: string])[] = [
  [{ kind: "json", value: true }, "```a\n".repeat(20_000)],
  [{ kind: "json", value: true }, "```a\n".repeat(190_000)],
  [{ kind: "section", value: { heading: "A" } }, `# a${" ".repeat(60_000)}x`],
  [{ kind: "section", value: { heading: "A", contains: "b" } }, "# A\n".repeat(200_000)],
  [{ kind: "section", value: { heading: "A" } }, `# ${" ".repeat(60_000)}a\u2028b`],
  [{ kind: "json-schema", value: { type: "array", uniqueItems: true, minItems: 99_999 } }, objects(16_000)],
  [
    { kind: "json-schema", value: { items: { pattern: "\\s+$" } } },
    JSON.stringify(Array.from({ length: 20 }, () => `${" ".repeat(25_000)}x`)),
  ],
  [{ kind: "json-schema", value: { type: "array" } }, "[".repeat(50_000) + "]".repeat(50_000)],
  [{ kind: "regex", value: "^(a|a)*b$" }, "a".repeat(40)],
  [{ kind: "regex", value: "^(\\w+\\s?)*\\.$" }, `${"word ".repeat(30)}!`],
  [{ kind: "number", value: 3 }, "1".repeat(900_000)],
  [{ kind: "f1", value: { text: "a" } }, "the b ".repeat(160_000)],
  [{ kind: "icontains", value: "no" }, "i̇".repeat(400_000)],
  [{ kind: "exact", value: "no" }, " x".repeat(2_000_000)],
];

test("the event loop is never blocked above 100 ms by an answer, and no slow answer is a missing result", async () => {
  const score = ([check, text]: (typeof slowAnswers)[number]) =>
    scoreTask(withChecks(check), said(text), { aside });
  // what is loaded and compiled once is no part of an answer
  for (const [check] of slowAnswers) await score([check, "x"]);
  // processor time of this thread between two turns of its loop: somebody else may hold the processor
  let [last, longest] = [process.threadCpuUsage(), 0];
  const tick = () => {
    const { user, system } = process.threadCpuUsage(last);
    [last, longest] = [process.threadCpuUsage(), Math.max(longest, (user + system) / 1000)];
  };
  const ticking = setInterval(tick, 5);
  const scores = [];
  for (const one of slowAnswers) scores.push(await score(one));
  clearInterval(ticking);
  tick();
  for (const [at, found] of scores.entries())
    expect([slowAnswers[at]?.[0].kind, found]).toEqual([
      slowAnswers[at]?.[0].kind,
      expect.objectContaining({ hard: 0 }),
    ]);
  expect(longest).toBeLessThan(100);
});
