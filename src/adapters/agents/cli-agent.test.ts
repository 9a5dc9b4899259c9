import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { AgentLimits, AgentRequest, Meter } from "../../core/ports/agent.ts";
import { sendJson, serve } from "../../../test/support/serve-handler.ts";
import { bubblewrapSandbox } from "../sandboxes/bubblewrap.ts";
import { openAgent, openAgentModel } from "./agents.ts";

// a stand-in for `claude` that does what its prompt says, one step after the other
const program = `#!/usr/bin/env node
if (process.argv[2] === "--version") { console.log("9.9.9 (Stand-in)"); process.exit(0); }
const fs = require("node:fs");
const say = (event) => fs.writeSync(1, JSON.stringify(event) + "\\n");
(async () => {
  const skills = fs.existsSync(process.env.CLAUDE_CONFIG_DIR + "/skills") ? fs.readdirSync(process.env.CLAUDE_CONFIG_DIR + "/skills") : [];
  say({ type: "system", subtype: "init", skills });
  // as a model it is told in a first line that no person wrote this
  for (const step of JSON.parse(fs.readFileSync(0, "utf8").replace(/^\\[whetstone: .*\\]\\n/, ""))) {
    if (step.event) say(step.event);
    if (step.run) eval(step.run);
    if (step.sleep) await new Promise((resolve) => setTimeout(resolve, step.sleep));
    if (step.ask) {
      const answer = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY },
        body: JSON.stringify({ model: "m", max_tokens: 50, messages: [{ role: "user", content: step.ask }] }),
      }).then((response) => response.json());
      if (answer.type === "error") { say({ type: "result", subtype: "success", is_error: true, result: answer.error.message }); process.exit(1); }
      say({ type: "assistant", message: { model: "m", content: answer.content } });
    }
  }
})();
`;
const finished = { event: { type: "result", subtype: "success", is_error: false } };
const skillLoad = [
  {
    event: {
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "t", name: "Skill", input: { skill: "tidy" } }] },
    },
  },
  {
    event: {
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
      tool_use_result: { success: true, commandName: "tidy" },
    },
  },
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "whetstone-cli-agent-test-"));
  writeFileSync(join(folder, "claude"), program, { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = (baseURL: string) => ({
  model: "m",
  settings: { command: join(folder, "claude"), baseURL },
  env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-real-key-of-the-host" },
  home: folder,
  sandbox: bubblewrapSandbox(),
  priceOf: (id: string) => (id === "anthropic/m" ? { input: 1, output: 2 } : undefined),
  answerMs: 1500,
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
const skill = {
  name: "tidy",
  files: { "SKILL.md": "# Tidy", "run.sh": "#!/bin/sh\n" },
  executable: ["run.sh"],
};
const freeMeter: Meter = { begin: async () => ({ end: async () => {} }) };

const message = (text: string) =>
  sendJson(200, {
    type: "message",
    content: [{ type: "text", text }],
    usage: { input_tokens: 10, output_tokens: 5 },
  });

async function roll(
  answer: (response: ServerResponse) => void,
  steps: readonly object[],
  more: Partial<AgentRequest> = {},
  { meter = freeMeter, signal = new AbortController().signal } = {},
) {
  await using server = await serve(answer);
  const agent = await openAgent("claude-code", options(server.url));
  const request = {
    agent: agent.id,
    version: agent.version,
    prompt: JSON.stringify(steps),
    files: { "a.txt": "old" },
    skills: [skill],
    limits,
    ...more,
  };
  const run = await agent
    .run(request, { key: "unit", signal, meter })
    .catch((error: unknown) => error as Error);
  return { run, agent, seen: server.seen };
}

describe("a rollout", () => {
  test("finds its skill, its instructions and its files, and what it changed comes back", async () => {
    const look = `fs.writeFileSync("seen.json", JSON.stringify({
      skill: fs.readFileSync(process.env.HOME + "/.claude/skills/tidy/SKILL.md", "utf8"),
      executable: (fs.statSync(process.env.HOME + "/.claude/skills/tidy/run.sh").mode & 0o111) !== 0,
      instructions: fs.readFileSync(process.env.HOME + "/.claude/CLAUDE.md", "utf8"),
      key: process.env.ANTHROPIC_API_KEY,
    })); fs.unlinkSync("a.txt")`;
    const { run, agent, seen } = await roll(message("hello"), [{ run: look }, { ask: "hi" }, finished], {
      instructions: "Be brief.",
    });
    expect(agent).toMatchObject({ id: "claude-code/m", version: "9.9.9" });
    expect(run).toMatchObject({
      ended: "done",
      text: "hello",
      calls: 1,
      usage: { inputTokens: 10, outputTokens: 5 },
      skills: { offered: ["tidy"], loaded: [] },
      changed: { "a.txt": null },
    });
    const changed = (run as { changed: Record<string, string> }).changed;
    expect(JSON.parse(changed["seen.json"] ?? "")).toEqual({
      skill: "# Tidy",
      executable: true,
      instructions: "Be brief.",
      key: "sk-whetstone-dummy",
    });
    expect(seen[0]?.headers).toMatchObject({
      "x-api-key": "sk-real-key-of-the-host",
      "idempotency-key": "unit:1",
    });
  });

  test("ends at the first skill when that was all we asked", async () => {
    const { run } = await roll(message("x"), [...skillLoad, { sleep: 3_600_000 }], { untilSkill: true });
    expect(run).toMatchObject({ ended: "done", skills: { loaded: ["tidy"] } });
  });

  test("runs out of active time", async () => {
    const { run } = await roll(message("x"), [{ sleep: 60_000 }], { limits: { ...limits, seconds: 0.5 } });
    expect(run).toMatchObject({ ended: "time" });
  });

  test("that wants more turns or calls than it has ends there", async () => {
    const asks = [{ ask: "1" }, { ask: "2" }, { ask: "3" }, finished];
    const [turns, calls] = await Promise.all([
      roll(message("x"), asks, { limits: { ...limits, turns: 2 } }),
      roll(message("x"), asks, { limits: { ...limits, calls: 2 } }),
    ]);
    expect([turns.run, turns.seen.length]).toMatchObject([{ ended: "turns", calls: 2 }, 2]);
    expect([calls.run, calls.seen.length]).toMatchObject([{ ended: "calls", calls: 2 }, 2]);
  });

  test("that met the spend cap passes that error on", async () => {
    const cap = new WhetstoneError("spend-cap", "no more");
    const meter: Meter = { begin: () => Promise.reject(cap) };
    const { run, seen } = await roll(message("x"), [{ ask: "hi" }, finished], {}, { meter });
    expect(run).toBe(cap);
    expect(seen).toEqual([]);
  });
});

describe("a failure", () => {
  test.each([
    [401, "refused", 1],
    [400, "refused", 1],
    [529, "throttle", 1],
    [503, "transport", 1],
  ])("of status %i is the world's, not the task's", async (status, kind, requests) => {
    const { run, seen } = await roll(sendJson(status, { error: { type: "x", message: "no" } }), [
      { ask: "hi" },
    ]);
    expect(run).toBeInstanceOf(InfraError);
    expect(run).toMatchObject({ class: kind, status, billed: "no" });
    expect(seen.length).toBe(requests);
    if (status === 401) expect(run).toMatchObject({ hint: "Check its API key, or log in: claude /login" });
  });

  test("a prompt that is too long is no outcome", async () => {
    const { run } = await roll(sendJson(400, { error: { message: "prompt is too long: 9 tokens" } }), [
      { ask: "hi" },
    ]);
    expect(run).toMatchObject({ class: "prompt-refused", retryable: false });
  });

  test("a provider that never answers is given up", async () => {
    const { run } = await roll(() => {}, [{ ask: "hi" }, finished]);
    expect(run).toMatchObject({ class: "transport", message: expect.stringContaining("didn't answer") });
  });

  test("an end without a result tells what was said on the way", async () => {
    const { run } = await roll(message("x"), [{ run: 'console.error("out of luck"); process.exit(0)' }]);
    expect(run).toMatchObject({ class: "transport", message: expect.stringContaining("out of luck") });
  });

  test("fault 3: what a CLI prints before it fails is no answer, whatever it says and however it ends", async () => {
    const said = {
      type: "assistant",
      message: { model: "m", content: [{ type: "text", text: "API Error: 529" }] },
    };
    for (const code of [0, 1]) {
      const { run } = await roll(message("x"), [
        { event: said },
        { run: `console.log("API Error: Overloaded"); process.exit(${code})` },
      ]);
      expect(run).toBeInstanceOf(InfraError);
      expect(run).toMatchObject({ class: "transport" });
    }
  });

  test("not logged in is known without starting anything", async () => {
    await using server = await serve(message("x"));
    const { settings, ...rest } = options(server.url);
    const agent = await openAgent("claude-code", {
      ...rest,
      settings: { command: settings.command },
      env: {},
    });
    const request = { agent: "", version: "", prompt: "[]", files: {}, skills: [], limits };
    const run = agent.run(request, { key: "k", signal: new AbortController().signal, meter: freeMeter });
    await expect(run).rejects.toMatchObject({ class: "refused", hint: "Log in: claude /login" });
  });
});

test("a stop ends it with the reason, and leaves no process and no folder", async () => {
  const mark = `mark-${process.pid}-${performance.now()}`;
  const controller = new AbortController();
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith("whetstone-agent-"));
  const steps = [
    {
      run: `require("node:child_process").spawn("sh", ["-c", "sleep 301; true", "${mark}"], { detached: true })`,
    },
    { sleep: 60_000 },
  ];
  const rolling = roll(message("x"), steps, {}, { signal: controller.signal });
  while (processesWith(mark) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  controller.abort(new Error("enough"));
  expect((await rolling).run).toMatchObject({ message: "enough" });
  expect(processesWith(mark)).toBe(0);
  const after = readdirSync(tmpdir()).filter((name) => name.startsWith("whetstone-agent-"));
  expect(
    after.filter(
      (name) => !before.includes(name) && existsSync(join(tmpdir(), name, "home/.claude/skills/tidy/run.sh")),
    ),
  ).toEqual([]);
});

function processesWith(mark: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(mark);
    } catch {
      return false;
    }
  }).length;
}

describe("as a chat model", () => {
  async function ask(answer: (response: ServerResponse) => void, steps: readonly object[]) {
    await using server = await serve(answer);
    const model = await openAgentModel("claude-code", options(server.url));
    const request = {
      model: model.id,
      system: "Be kind.",
      messages: [{ role: "user", content: JSON.stringify(steps) }],
      maxTokens: 50,
    } as const;
    const reply = await model.generate(request, { key: "unit", signal: new AbortController().signal });
    return { reply, seen: server.seen };
  }

  test("it answers with the text and the usage", async () => {
    const { reply } = await ask(message("kind words"), [{ ask: "hi" }, finished]);
    expect(reply).toMatchObject({
      text: "kind words",
      finish: "stop",
      usage: { inputTokens: 10, outputTokens: 5 },
    });
  });

  test("a second call is not made: the answer is then no whole one", async () => {
    const { reply, seen } = await ask(message("one"), [{ ask: "1" }, { ask: "2" }, finished]);
    expect(reply).toMatchObject({ text: "one", finish: "other" });
    expect(seen.length).toBe(1);
  });

  test("an answer cut at its token limit says so", async () => {
    const cut = {
      event: { type: "user", message: { content: [{ type: "text", text: "Output token limit hit." }] } },
    };
    const { reply } = await ask(message("half"), [{ ask: "1" }, cut, { ask: "2" }]);
    expect(reply).toMatchObject({ text: "half", finish: "length" });
  });

  test("its tools are off and its system text is a file", async () => {
    const look = {
      run: `say({ type: "assistant", message: { model: "m", content: [{ type: "text", text: JSON.stringify({ tools: process.argv[process.argv.indexOf("--tools") + 1], system: fs.readFileSync(process.argv[process.argv.indexOf("--system-prompt-file") + 1], "utf8"), most: process.env.CLAUDE_CODE_MAX_OUTPUT_TOKENS }) }] } })`,
    };
    const { reply } = await ask(message("x"), [look, finished]);
    expect(JSON.parse(reply.text)).toEqual({ tools: "", system: "Be kind.", most: "50" });
  });
});
