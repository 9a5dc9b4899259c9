import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { bubblewrapSandbox } from "../sandboxes/bubblewrap.ts";
import { acpAgent } from "./acp.ts";
import { callTools, callWith, requestWith, serveSteps } from "../../../test/support/scripted-rollout.ts";
import type { ConfiguredSettings } from "./configured-agent.ts";
import { locateProgram } from "./find-cli.ts";

const open = (settings: ConfiguredSettings, model?: string) =>
  acpAgent("mine", {
    ...(model === undefined ? {} : { model }),
    settings,
    env: { PATH: process.env["PATH"], THE_KEY: "sk-real-key-value" },
    home: "/nonexistent",
    sandbox: bubblewrapSandbox(),
    priceOf: () => ({ input: 1, output: 2 }),
  });

/** A small agent of the protocol, for what a real one does not do on demand: it answers the prompt with this code. */
async function openSmallAgent(onPrompt: string) {
  const folder = await tempDir();
  const file = join(folder, "agent.cjs");
  await writeFile(
    file,
    `const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
     const update = (update) => send({ method: "session/update", params: { sessionId: "s", update } });
     const say = (text, messageId) => update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
     const waiting = new Map();
     const ask = (method, params) => new Promise((resolve) => { waiting.set(method, resolve); send({ id: method, method, params }); });
     console.log("not a message");
     const handlers = {
       initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
       "session/new": () => ({ sessionId: "s" }),
       "session/prompt": async (params) => { ${onPrompt} },
     };
     require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
       const { id, method, params, result, error } = JSON.parse(line);
       if (method === undefined) return waiting.get(id)?.(result ?? error);
       try { send({ id, result: await handlers[method](params) }); }
       catch (failure) { send({ id, error: { code: -32603, message: "Internal error", data: failure } }); }
     });`,
  );
  return open({ argv: ["node", file], mounts: [folder] });
}

describe("an agent of the protocol", () => {
  test("is told the prompt, is granted what it asks for, and what it tells is read", async () => {
    const agent = await openSmallAgent(`
      const { outcome } = await ask("session/request_permission", { sessionId: "s", toolCall: { toolCallId: "1" },
        options: [{ optionId: "no", name: "No", kind: "reject_once" }, { optionId: "yes", name: "Yes", kind: "allow_once" }] });
      const fs = require("node:fs");
      const path = process.env.HOME + "/.agents/skills/greet/SKILL.md";
      update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Read the skill", kind: "read", status: "pending" });
      update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "in_progress", rawInput: { path } });
      update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed",
        content: [{ type: "content", content: { type: "text", text: fs.readFileSync(path, "utf8") } }] });
      say("I will ", "m1"); say("write.", "m1");
      update({ sessionUpdate: "tool_call", toolCallId: "2", title: "bash", kind: "execute", status: "in_progress", rawInput: { command: "false" } });
      update({ sessionUpdate: "tool_call_update", toolCallId: "2", status: "failed", rawOutput: { code: 1 } });
      fs.writeFileSync("hello.txt", outcome.optionId);
      say(params.prompt[0].text + " Done.", "m2");
      return { stopReason: "end_turn" };`);
    const run = await agent.run(requestWith(), callWith());
    expect(run).toMatchObject({
      text: `${requestWith().prompt} Done.`,
      ended: "done",
      changed: { "hello.txt": "yes" },
      skills: { loaded: ["greet"] },
    });
    expect(run.toolCalls).toMatchObject([
      { name: "read", input: { path: expect.stringContaining("SKILL.md") }, failed: false },
      { name: "bash", input: { command: "false" }, output: '{"code":1}', failed: true },
    ]);
    expect(run.conversation.map(({ content }) => content)).toContain("I will write.");
  });

  test("that has a tool for skills has loaded the one whose text the tool gave", async () => {
    const agent = await openSmallAgent(`
      const load = (toolCallId, text) => update({ sessionUpdate: "tool_call", toolCallId, title: "skill", kind: "other",
        status: "completed", rawInput: { name: "greet" }, content: [{ type: "content", content: { type: "text", text } }] });
      load("1", "not found");
      load("2", "<skill>\\nSay SKILLMARK.\\n</skill>");
      return { stopReason: "end_turn" };`);
    const run = await agent.run(requestWith(), callWith());
    expect(run.skills.loaded).toEqual(["greet"]);
    expect(run.toolCalls.map(({ output }) => output)).toEqual([
      "not found",
      "<skill>\nSay SKILLMARK.\n</skill>",
    ]);
  });

  test.for([
    ["max_tokens", "length"],
    ["max_turn_requests", "turns"],
    ["refusal", "refused"],
  ] as const)("that stops for %s has met the end %s", async ([stopReason, ended]) => {
    const agent = await openSmallAgent(`say("half"); return { stopReason: "${stopReason}" };`);
    expect(await agent.run(requestWith(), callWith())).toMatchObject({ ended, text: "half" });
  });

  test("that fails, that cancels and that goes away in the middle are failures of the world", async () => {
    const failing = await openSmallAgent(`throw { reason: "model overloaded" };`);
    await expect(failing.run(requestWith(), callWith())).rejects.toMatchObject({
      name: "InfraError",
      message: expect.stringContaining("model overloaded"),
    });
    const cancelling = await openSmallAgent(`return { stopReason: "cancelled" };`);
    await expect(cancelling.run(requestWith(), callWith())).rejects.toMatchObject({ name: "InfraError" });
    const leaving = await openSmallAgent(`console.error("segfault"); process.exit(9);`);
    await expect(leaving.run(requestWith(), callWith())).rejects.toMatchObject({
      name: "InfraError",
      message: expect.stringMatching(/exit code 9.*segfault/),
    });
  });

  test("that stays after its turn is ended", async () => {
    const agent = await openSmallAgent(
      `setInterval(() => undefined, 1000); return { stopReason: "end_turn" };`,
    );
    expect((await agent.run(requestWith(), callWith())).ended).toBe("done");
  });
});

const isInstalled = (name: string): boolean => locateProgram(name, process.env) !== undefined;

describe.skipIf(!isInstalled("opencode") || !isInstalled("rg"))("opencode acp", () => {
  const rg = locateProgram("rg", process.env)?.program ?? "";
  const config = {
    share: "disabled",
    autoupdate: false,
    model: "local/m1",
    small_model: "local/m1",
    enabled_providers: ["local"],
    permission: { "*": "ask" },
    provider: {
      local: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: "{baseUrl}/v1", apiKey: "{key}" },
        models: { m1: { name: "m1", limit: { context: 200_000, output: 8192 } } },
      },
    },
  };
  const settings = (url: string): ConfiguredSettings => ({
    argv: ["opencode", "acp", "--pure"],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      PATH: `/usr/bin:/bin:${rg.slice(0, rg.lastIndexOf("/"))}`,
    },
    skills: ".config/opencode/skills",
    instructions: ".config/opencode/AGENTS.md",
    mounts: [rg],
    baseURL: `${url}/v1`,
    apiKeyEnv: "THE_KEY",
  });

  test("loads its skill, asks and writes a file, and ends", async () => {
    const server = await serveSteps(
      callTools(["skill", { name: "greet" }]),
      callTools(["write", { filePath: "/home/dev/project/hello.txt", content: "hello SKILLMARK\n" }]),
      { text: "Done." },
    );
    const agent = await open(settings(server.url), "scripted/m1");
    const run = await agent.run(requestWith({ instructions: "STANDING ORDER" }), callWith());
    expect(run).toMatchObject({
      text: "Done.",
      ended: "done",
      changed: { "hello.txt": "hello SKILLMARK\n" },
      skills: { offered: ["greet"], loaded: ["greet"] },
    });
    expect(run.toolCalls.map(({ name, failed }) => [name, failed])).toEqual([
      ["skill", false],
      ["write", false],
    ]);
    expect(JSON.stringify(server.calls.map(({ request }) => request.system))).toContain("STANDING ORDER");
    expect(run.usage.inputTokens).toBeGreaterThan(0);
  });
});
