import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openAgent, openOwnAgent } from "../../adapters/agents/agents.ts";
import { bubblewrapSandbox } from "../../adapters/sandboxes/bubblewrap.ts";
import { commandRunner } from "../../adapters/sandboxes/command-runner.ts";
import { type Checkouts, openCheckouts } from "../../adapters/workspaces/git-checkout.ts";
import { hashFolder, makeRepository } from "../../../test/support/repository.ts";
import { openModel } from "../../config/resolve/resolve-model.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import { startScriptedServer } from "../../testing/scripted-server/start-scripted-server.ts";
import type { Agent, AgentLimits } from "../../core/ports/agent.ts";
import { scoreTask } from "../../core/scorers/score-task.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import type { EnvironmentContext } from "../../core/tasks/environment.ts";
import type { Task } from "../../core/tasks/task.ts";
import { replayEnvironment } from "./replay-environment.ts";

let base: string;
let repo: string;
let commit: string;
let checkouts: Checkouts;
const sandbox = bubblewrapSandbox();
const signal = new AbortController().signal;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "whetstone-replay-test-"));
  repo = join(base, "repo");
  mkdirSync(repo);
  [commit = ""] = makeRepository(repo, [
    { "sum.sh": { script: "#!/bin/sh\nexpr $1 - $2\n" }, "test.sh": 'test "$(./sum.sh 3 2)" = 5\n' },
    { "sum.sh": { script: "#!/bin/sh\nexpr $1 + $2\n" } },
  ]);
  checkouts = await openCheckouts({ repo, path: process.env["PATH"] ?? "" });
});
afterAll(async () => {
  await checkouts.close();
  rmSync(base, { recursive: true, force: true });
});

const limits: AgentLimits = {
  turns: 10,
  calls: 10,
  tokens: 100_000,
  seconds: 20,
  memoryMb: 1024,
  processes: 50,
  diskMb: 64,
};
const opened = () => ({
  env: { PATH: process.env["PATH"] },
  home: base,
  sandbox,
  checkouts,
  priceOf: () => ({ input: 0, output: 0 }),
});

/** Follows a rule of its instructions, and guesses without one. */
const handyAgent = () =>
  openOwnAgent("handy", {
    ...opened(),
    settings: {
      run: [
        "sh",
        "-c",
        'if grep -q "sums are made with plus"; then sed -i "s/-/+/" sum.sh; else echo >> sum.sh; fi; ls -A',
      ],
    },
  });

function contextFor(agent: Agent | undefined, more: Partial<EnvironmentContext> = {}): EnvironmentContext {
  const command = (request: Parameters<EnvironmentContext["command"]>[0]) =>
    commandRunner(sandbox, { checkouts })(request, signal);
  const unasked = { generate: () => Promise.reject(new Error("nobody is to be asked")) };
  return {
    split: "val",
    seed: 1,
    trial: 0,
    extras: {},
    signal,
    model: unasked,
    judge: unasked,
    command,
    ...(agent === undefined
      ? {}
      : {
          agent: {
            run: (task) =>
              agent.run(
                { ...task, agent: agent.id, version: agent.version, limits },
                { key: "unit", signal, meter: { begin: async () => ({ end: async () => {} }) } },
              ),
          },
        }),
    score: (task, performance) => scoreTask(task, performance, { command }),
    ...more,
  };
}

const task = (): Task => ({
  id: "mend",
  input: "Mend the sum.",
  checkout: commit,
  checks: [
    {
      kind: "command",
      value: {
        run: "sh test.sh && sh $GRADER/hidden.sh",
        files: { "hidden.sh": 'test "$(./sum.sh 40 2)" = 42' },
      },
    },
  ],
});
const memory = (text: string) => singleFileSkill(text, "AGENTS.md");
const nothing = { skills: [], memory: "" };

describe("with an agent", () => {
  test("fault 6: coding work is executed, by an agent with tools in a checkout of its commit, and judged by the project's own test", async () => {
    const before = hashFolder(repo);
    const context = contextFor(await handyAgent());
    const environment = replayEnvironment("memory", nothing);
    const without = await environment.run(task(), memory("Be brief.\n"), context);
    expect(without).toMatchObject({ kind: "scored", hard: 0 });
    const withRule = await environment.run(
      task(),
      memory("Be brief.\n\nHere sums are made with plus.\n"),
      context,
    );
    expect(withRule).toMatchObject({
      kind: "scored",
      hard: 1,
      extras: { changed: ["sum.sh"], written: { "sum.sh": expect.any(String) } },
    });
    // the grader's own file was nowhere to be seen, nor what the second commit brought
    expect(withRule.kind === "scored" && withRule.conversation.at(-1)?.content.split("\n")).toEqual([
      ".git",
      "sum.sh",
      "test.sh",
    ]);
    expect(hashFolder(repo)).toBe(before);
  });

  test("a file check reads what the agent left alone from the commit", async () => {
    const environment = replayEnvironment("memory", nothing);
    const check = (value: { path: string; contains?: string; exists?: boolean }) => ({
      ...task(),
      checks: [{ kind: "file", value }],
    });
    const run = async (value: { path: string; contains?: string; exists?: boolean }) =>
      environment.run(check(value), memory(""), contextFor(await handyAgent()));
    expect(await run({ path: "test.sh", contains: "./sum.sh 3 2" })).toMatchObject({ hard: 1 });
    expect(await run({ path: "test.sh", contains: "absent" })).toMatchObject({ hard: 0 });
    expect(await run({ path: "none.txt", exists: false })).toMatchObject({ hard: 1 });
  });

  test("an unknown commit makes the task invalid, in words", async () => {
    const outcome = await replayEnvironment("memory", nothing).run(
      { ...task(), checkout: "0".repeat(40) },
      memory(""),
      contextFor(await handyAgent()),
    );
    expect(outcome).toEqual({
      kind: "invalid",
      reason: `Commit 000000000000 isn't in the repository ${repo}.`,
    });
  });

  test("what lies beside the document is there too", async () => {
    const seen: unknown[] = [];
    const context = contextFor(undefined, {
      agent: {
        run: (request) => {
          seen.push(request);
          return Promise.reject(new Error("seen"));
        },
      },
    });
    const other = singleFileSkill("---\nname: other\ndescription: d\n---\n");
    const skill = singleFileSkill("---\nname: sums\ndescription: d\n---\n");
    const beside = { skills: [other], memory: "Personal." };
    await replayEnvironment("skill", beside)
      .run(task(), skill, context)
      .catch(() => {});
    await replayEnvironment("memory", beside)
      .run(task(), memory("Project."), context)
      .catch(() => {});
    expect(seen).toMatchObject([
      { skills: [{ name: "sums" }, { name: "other" }], instructions: "Personal.", checkout: commit },
      { skills: [{ name: "other" }], instructions: "Personal.\n\nProject.", checkout: commit },
    ]);
  });
});

// a stand-in for `claude` that loads the skills whose description its prompt asks for, and does what they say
const program = `#!/usr/bin/env node
if (process.argv[2] === "--version") { console.log("9.9.9 (Stand-in)"); process.exit(0); }
const fs = require("node:fs");
const say = (event) => fs.writeSync(1, JSON.stringify(event) + "\\n");
const home = process.env.CLAUDE_CONFIG_DIR;
const prompt = fs.readFileSync(0, "utf8");
const skills = fs.existsSync(home + "/skills") ? fs.readdirSync(home + "/skills") : [];
say({ type: "system", subtype: "init", skills });
let known = fs.existsSync(home + "/CLAUDE.md") ? fs.readFileSync(home + "/CLAUDE.md", "utf8") : "";
for (const name of skills) {
  const text = fs.readFileSync(home + "/skills/" + name + "/SKILL.md", "utf8");
  const [, trigger] = /description: Use for (\\w+)/.exec(text) ?? [];
  if (trigger === undefined || !prompt.includes(trigger)) continue;
  known += text;
  say({ type: "assistant", message: { content: [{ type: "tool_use", id: "t", name: "Skill", input: { skill: name } }] } });
  say({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] }, tool_use_result: { success: true, commandName: name } });
}
const answer = /ANSWER (\\w+)/.exec(known)?.[1] ?? "unknown";
say({ type: "assistant", message: { model: "m", content: [{ type: "text", text: answer }] } });
say({ type: "result", subtype: "success", is_error: false, result: answer });
`;

test("fault 7: a skill is replayed behind its own description, and a replay that did not load it says so", async () => {
  const command = join(base, "claude");
  writeFileSync(command, program);
  chmodSync(command, 0o755);
  const agent = await openAgent("claude-code", {
    ...opened(),
    model: "m",
    settings: { command, baseURL: "http://127.0.0.1:9/v1" },
    env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-x" },
  });
  const asked: Task = {
    id: "q",
    input: "Where do parcels go?",
    checks: [{ kind: "exact", value: "cellar" }],
  };
  const skill = (trigger: string) =>
    singleFileSkill(`---\nname: house\ndescription: Use for ${trigger}\n---\n\nANSWER cellar\n`);
  const replay = (kind: "skill" | "memory", document = skill("parcels")) =>
    replayEnvironment(kind, nothing).run(asked, document, contextFor(agent));
  const loaded = await replay("skill");
  expect(loaded).toMatchObject({ hard: 1, extras: { loaded: ["house"] } });
  expect(loaded).not.toMatchObject({ feedback: expect.stringContaining("did not load") });
  // the same text, behind a description that this task does not ask for
  expect(await replay("skill", skill("invoices"))).toMatchObject({
    hard: 0,
    extras: { loaded: [], offered: ["house"] },
    feedback: expect.stringContaining("The agent did not load the skill."),
  });
  // what belongs to no skill goes where it is always read
  expect(await replay("memory", memory("ANSWER cellar\n"))).toMatchObject({ hard: 1 });
});

describe("without an agent", () => {
  const question: Task = { id: "q", input: "Where?", system: "Answer in one word.", answers: ["cellar"] };

  test("fault 20: without a sandbox an agent is refused before anything runs, and a replay in words has no tools", async () => {
    const skill = singleFileSkill("---\nname: house\ndescription: d\n---\n");
    const config = {
      skill,
      tasks: [
        { ...question, id: "a" },
        { ...question, id: "b", input: "What else?" },
      ],
      split: "1:1:0",
    };
    const models = { target: "claude-code/sonnet", optimizer: "ollama/large" };
    await expect(
      resolveConfig({ ...config, ...models }, { cwd: base, env: { PATH: "/nonexistent" } }),
    ).rejects.toMatchObject({ code: "sandbox-missing" });

    const server = await startScriptedServer({ seed: 1, world: { reply: () => ({ text: "cellar" }) } });
    onTestFinished(() => server.close());
    const model = await openModel("office/target", {
      env: {},
      providers: { office: { baseURL: `${server.url}/v1` } },
    });
    const context = contextFor(undefined, {
      model: {
        generate: (asked) =>
          model.generate({ model: "office/target", maxTokens: 100, ...asked }, { key: "k", signal }),
      },
    });
    const beside = { skills: [singleFileSkill("# Other")], memory: "# Personal" };
    expect(
      await replayEnvironment("skill", beside).run(question, singleFileSkill("# House"), context),
    ).toMatchObject({ hard: 1 });
    const [call] = server.calls;
    expect(call?.request.tools).toEqual([]);
    expect(call?.request.system).toBe("# Personal\n\n# House\n\n# Other\n\nAnswer in one word.");
  });

  test("a task whose check needs a workspace is invalid, and costs no call", async () => {
    for (const one of [
      task(),
      { ...task(), checks: [{ kind: "any", value: { checks: [{ kind: "tool-called", value: "Bash" }] } }] },
    ]) {
      const outcome = await replayEnvironment("memory", nothing).run(one, memory("x"), contextFor(undefined));
      expect(outcome).toMatchObject({
        kind: "invalid",
        reason: expect.stringContaining("the target must be an agent"),
      });
    }
  });
});
