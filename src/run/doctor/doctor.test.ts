import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { officeWorld, openOffice } from "../../../test/support/office-config.ts";
import { chatCompletion, sendJson, serve } from "../../../test/support/serve-handler.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import type { Config } from "../../config/schema.ts";
import type { Context } from "../../core/context.ts";
import { noteSides } from "../../core/measure/claim-log.ts";
import { plan } from "../plan.ts";
import { systemClock } from "../session/system-clock.ts";
import { runDoctor } from "./doctor.ts";
import type { Finding } from "./finding.ts";

async function findings(
  files: Readonly<Record<string, string>>,
  config: (cwd: string) => Config,
): Promise<readonly Finding[]> {
  const cwd = await tempDir(files);
  const found: Finding[] = [];
  const options = { cwd, call: false, signal: new AbortController().signal };
  for await (const finding of runDoctor(config(cwd), options)) found.push(finding);
  return found;
}

const aboutSkill = async (files: Readonly<Record<string, string>>): Promise<readonly Finding[]> =>
  (await findings(files, (cwd) => ({ skill: join(cwd, "forms") }))).filter(({ about }) => about === "skill");

test("the skill is counted, and what is odd about it is a warning of its own", async () => {
  const files = {
    "forms/SKILL.md": "---\nname: other\ndescription: Fills <forms>.\n---\n# Forms\n",
    "forms/references/codes.md": "A is 1\n",
  };
  expect(await aboutSkill(files)).toMatchObject([
    { status: "ok", text: expect.stringMatching(/forms: SKILL\.md, references\/codes\.md$/) },
    { status: "warn", text: expect.stringContaining('"other"'), next: "Rename one of them." },
    { status: "warn", text: expect.stringContaining("< or >"), next: "Remove them." },
  ]);
});

test("a skill that no agent would load fails with the way to mend it", async () => {
  expect(await aboutSkill({ "forms/SKILL.md": "---\nname: Forms\ndescription: x\n---\n" })).toEqual([
    {
      about: "skill",
      status: "fail",
      text: 'The name "Forms" in SKILL.md isn\'t valid.',
      next: "Use at most 64 lowercase letters, digits and single hyphens between them.",
    },
  ]);
});

test("a journal where no folder can be is no journal to come", async () => {
  const found = await findings({ "SKILL.md": "# Forms\n" }, (cwd) => ({
    skill: join(cwd, "SKILL.md"),
    journal: join(cwd, "SKILL.md/inner"),
  }));
  expect(found.find(({ about }) => about === "journal")).toMatchObject({
    status: "fail",
    text: expect.stringMatching(/^none, and .*SKILL\.md is a file$/),
    next: "Name a folder you can write to with --journal <folder>.",
  });
});

afterEach(() => vi.unstubAllEnvs());

/** A home of one's own with these files, and the programs of the system alone on PATH. */
async function atHome(files: Readonly<Record<string, string>>): Promise<void> {
  const home = await tempDir(files);
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"])
    vi.stubEnv(name, "");
  vi.stubEnv("HOME", home);
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(home, ".claude"));
  vi.stubEnv("CODEX_HOME", join(home, ".codex"));
  vi.stubEnv("PATH", "/usr/bin:/bin");
}

const forms = {
  "forms/SKILL.md": "---\nname: forms\ndescription: Fills forms. Use when asked.\n---\n# Forms\n",
};
const words = "apple pear plum fig kiwi lime nut oat".split(" ");
const tasks = words.map((word) => ({
  id: word,
  input: `How is ${word} written on the form?`,
  reference: word.toUpperCase(),
  checks: [{ kind: "rubric", value: `Writes ${word} in capitals.` }],
}));

const linesOf = (found: readonly Finding[]) =>
  found.flatMap(({ about, status, text }) => (status === "ok" ? [] : [`${status} ${about}: ${text}`]));

test("an agent without its program and with a login that has ended is told apart, each with the next step", async () => {
  await atHome({ ".claude/.credentials.json": '{"claudeAiOauth":{"accessToken":"t","expiresAt":1000}}' });
  const found = await findings(forms, (cwd) => ({
    skill: join(cwd, "forms"),
    tasks,
    target: "claude-code/sonnet",
    optimizer: "codex/gpt-5",
    sandbox: "none",
  }));
  expect(linesOf(found)).toEqual([
    "warn sandbox: none: agents and graders can read, change and send whatever you can",
    'fail target: No program "claude" is on PATH, but the agent claude-code needs it.',
    "warn target login: its login expired 1970-01-01 00:00 UTC; the first call renews it if possible",
    'fail optimizer: No program "codex" is on PATH, but the agent codex needs it.',
    "fail optimizer login: codex isn't logged in and OPENAI_API_KEY isn't set.",
  ]);
  const next = found.flatMap(({ next: step }) => (step === undefined ? [] : [step]));
  expect(next).toContain("Install it: npm install -g @anthropic-ai/claude-code");
  expect(next).toContain("If that fails: claude /login");
  expect(next).toContain("Log in: codex login");
  expect(found).toContainEqual({ about: "judge", status: "ok", text: "codex/gpt-5, as above" });
  expect(found).toContainEqual({
    about: "calibration",
    status: "ok",
    text: expect.stringMatching(
      /^before scoring, the judge is tested with about ten calls; if it gets one wrong, on 8 good answers \(and 3 of ours\) and 20 bad ones/,
    ),
  });
});

test("a login needs a cap that is not money, and an agent a skill with a name", async () => {
  await atHome({ ".claude/.credentials.json": '{"claudeAiOauth":{"accessToken":"t"}}' });
  const bare = { "forms/SKILL.md": "# Forms\n" };
  const found = await findings(bare, (cwd) => ({
    skill: join(cwd, "forms"),
    tasks: tasks.map(({ id, input, checks }) => ({ id, input, checks })),
    target: "claude-code/sonnet",
    sandbox: "none",
    spend: { usd: 5 },
  }));
  const lines = linesOf(found);
  expect(lines).toContain("fail target price: the login pays, so a cap in USD alone has no effect");
  expect(lines).toContain(
    "fail skill: SKILL.md has no name in its frontmatter, which agents need to load a skill.",
  );
  expect(lines).toContain(
    "warn calibration: before scoring, the judge is tested with about ten calls; if it gets one wrong, on 0 good answers (and 3 of ours) and 15 bad ones. No good answer to these tasks is known, so it's unclear whether it would pass one",
  );
});

test("what nobody needs is not looked for: a chat model without graders has no sandbox", async () => {
  await atHome({});
  const found = await findings(forms, (cwd) => ({
    skill: join(cwd, "forms"),
    tasks: words.map((id) => ({ id, input: `Spell ${id} on the form.`, answers: [id] })),
    target: "ollama/small",
    spend: { calls: 10 },
  }));
  expect(found.map(({ about }) => about)).not.toContain("sandbox");
  expect(found.map(({ about }) => about)).not.toContain("judge");
});

test("of a sandbox it is said which limits the kernel holds and which are only watched", async () => {
  vi.stubEnv("PATH", "/usr/bin:/bin");
  const found = await findings(forms, (cwd) => ({
    skill: join(cwd, "forms"),
    tasks: words.map((id) => ({
      id,
      input: `Spell ${id}.`,
      checks: [{ kind: "command", value: { run: "true" } }],
    })),
    target: "ollama/small",
    spend: { calls: 10 },
  }));
  const { text = "" } = found.find(({ about }) => about === "sandbox") ?? {};
  expect(text).toMatch(/^bubblewrap works here; (?:enforced by the kernel|only watched): /);
  for (const limit of ["memory", "processes", "disk"]) expect(text.split(limit)).toHaveLength(2);
});

test("--measure rolls out two train tasks, and plans go by them from then on", async () => {
  const { server, options } = await openOffice();
  const cwd = await tempDir({});
  const config: Config = { ...options, journal: join(cwd, ".whetstone") };
  const before = await plan({ ...config, verb: "eval", cwd });
  expect(before.guessed.lengths).toEqual(["office/target"]);
  const found: Finding[] = [];
  const asked = { cwd, call: false, measure: true, signal: new AbortController().signal };
  for await (const finding of runDoctor(config, asked)) found.push(finding);
  expect(found.at(-1)).toMatchObject({
    about: "rollouts",
    status: "ok",
    text: expect.stringContaining("2 rollouts: 3 calls"),
  });
  expect(server.calls).toHaveLength(3);
  const after = await plan({ ...config, verb: "eval", cwd });
  // how many calls the server takes at a time is told by no two rollouts
  expect(after.guessed).toEqual({ lengths: [], times: [], slots: ["office/target"] });
  expect(after.measuredReplies.target).toBe(2);
  expect(after.tokens.high / after.tokens.low).toBeLessThanOrEqual(3);
});

test("doctor finds a server that works on one call at a time, and a plan then goes by it", async () => {
  const { options } = await openOffice();
  let last = Promise.resolve();
  await using server = await serve((response) => {
    last = last.then(() => sleep(300)).then(() => sendJson(200, chatCompletion("ok"))(response));
  });
  const cwd = await tempDir({});
  const config: Config = { ...options, baseURL: `${server.url}/v1`, optimizer: options.target };
  const planned = () => plan({ ...config, verb: "eval", cwd });
  const before = await planned();
  expect(before.guessed.times).not.toEqual([]);
  const found: Finding[] = [];
  const asked = { cwd, call: true, signal: new AbortController().signal };
  for await (const finding of runDoctor(config, asked)) found.push(finding);
  expect(found).toContainEqual({ about: "target server", status: "ok", text: "handles one call at a time" });
  const after = await planned();
  expect(after.guessed).toEqual({ lengths: [], times: [], slots: [] });
  expect(after.time.high / after.time.low).toBeLessThanOrEqual(3);
  expect(after.time.high).toBeLessThan(before.time.high);
});

test("a call of doctor is the call of a run: its fields, and the time that it may take", async () => {
  const { options } = await openOffice();
  let waitMs = 0;
  await using server = await serve((response) => {
    const takesFormat = server.seen.at(-1)?.body["response_format"] === undefined;
    const answer = takesFormat ? chatCompletion("ok") : { error: { message: "unknown field" } };
    setTimeout(() => sendJson(takesFormat ? 200 : 400, answer)(response), waitMs);
  });
  const cwd = await tempDir({});
  const ask = async (more: Config) => {
    const config: Config = { ...options, baseURL: `${server.url}/v1`, temperature: 0, ...more };
    const found: Finding[] = [];
    const asked = { cwd, call: true, signal: new AbortController().signal };
    for await (const finding of runDoctor(config, asked)) found.push(finding);
    return found;
  };
  const found = await ask({});
  expect(found.find(({ about }) => about === "target")).toMatchObject({ status: "ok" });
  // that the optimizer's reply cannot be used is said of the second one
  expect(found.find(({ about }) => about === "optimizer")).toMatchObject({ status: "ok" });
  // small ones find out how many the server takes at a time
  const asked = server.seen.filter(({ body }) => !JSON.stringify(body).includes("Reply with the word ok."));
  expect(asked.map(({ body }) => [body["temperature"], "response_format" in body])).toEqual([
    [0, false],
    [undefined, true],
    [undefined, false],
  ]);
  waitMs = 400;
  const late = (await ask({ callSeconds: 0.1 })).find(({ about }) => about === "target");
  expect(late).toMatchObject({
    status: "fail",
    text: "office/target: No answer within 0.1 s.",
    next: expect.stringContaining("--call-seconds 1,"),
  });
});

test("doctor divides tasks as the next run would, by the sides that earlier runs gave them", async () => {
  const journal = await tempDir();
  const all = [...officeWorld.tasks(21)];
  const early = all.slice(0, 14);
  const opened = await sqliteJournal({ dir: journal });
  const splits = { train: early, val: early, test: [] };
  await noteSides(splits, { journal: opened, clock: systemClock } as unknown as Context);
  await opened.close();
  const found = await findings(forms, (cwd) => ({ skill: join(cwd, "forms"), tasks: all, journal }));
  expect(found).toContainEqual({ about: "tasks", status: "ok", text: "14 train, 14 val, 7 test" });
});
