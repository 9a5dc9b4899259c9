import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { type Prompt, systemText } from "../../../core/prompts/prompt.ts";
import { isWrittenByWhetstone, whetstoneMarker } from "../../../core/rules/learned/marker.ts";
import { openAgentModel } from "../../agents/agents.ts";
import { textAt } from "../../agents/event-fields.ts";
import { isObject } from "../../../core/json.ts";
import { handoffModels } from "../../models/handoff.ts";
import { sendJson, serve } from "../../../../test/support/serve-handler.ts";
import { bubblewrapSandbox } from "../../sandboxes/bubblewrap.ts";
import { claudeCodeSource } from "./claude-code.ts";
import { codexSource } from "./codex.ts";
import { asLines, readAll, recordedProject } from "../../../../test/support/fixture-home.ts";

const ours = { skipped: "Its first prompt was written by Whetstone." };

test("fault 13: every prompt of ours is known by its contract, in the words that are sent today", async () => {
  const prompts = await promptsOfOurs();
  expect(prompts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["analyst_error", "contrastive", "judge", "ranking"]),
  );
  for (const prompt of prompts) {
    const found = await readBoth(`${systemText(prompt, {})}\n\nThe tasks follow.`);
    expect([prompt.name, ...found]).toEqual([prompt.name, ours, ours]);
    // also with instructions that a person put in the place of ours
    expect(isWrittenByWhetstone(systemText(prompt, { [prompt.name]: "Do it my way." }))).toBe(true);
  }
});

test("fault 13: what an agent CLI is asked as a model is skipped in its history, and a person's own words are not", async () => {
  const folder = await tempDir();
  await writeFile(join(folder, "claude"), standIn, { mode: 0o755 });
  await using server = await serve(
    sendJson(200, {
      content: [{ type: "text", text: "Yes." }],
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  );
  const model = await openAgentModel("claude-code", {
    model: "m",
    settings: { command: join(folder, "claude"), baseURL: server.url },
    env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-real-key-of-the-host" },
    home: folder,
    sandbox: bubblewrapSandbox(),
    priceOf: () => ({ input: 1, output: 2 }),
  });
  const words = "Which of these two answers is better?";
  const request = {
    model: model.id,
    system: "Be just.",
    messages: [{ role: "user", content: words }],
    maxTokens: 50,
  } as const;
  await model.generate(request, { key: "unit", signal: new AbortController().signal });
  const [sent] = server.seen.flatMap(({ body }) => body["messages"] as readonly Record<string, unknown>[]);
  const asked = textAt(sent ?? {}, "content");
  expect(asked?.split("\n")[0]).toBe(whetstoneMarker);
  expect(asked).toContain(words);
  expect(await readBoth(asked ?? "")).toEqual([ours, ours]);
  expect(await readBoth(words)).toMatchObject([
    { turns: [{ prompt: words }] },
    { turns: [{ prompt: words }] },
  ]);
});

test("fault 25: the conversation in which a person's own agent answered our questions is not learned from", async () => {
  const folder = await tempDir();
  const model = handoffModels({ folder, quietMs: 20 })("handoff/me");
  const request = {
    model: "handoff/me",
    messages: [{ role: "user", content: "Who?" }],
    maxTokens: 50,
  } as const;
  const signal = new AbortController().signal;
  await expect(model.generate(request, { key: "a".repeat(64), signal })).rejects.toMatchObject({
    exitCode: 3,
  });
  const shown = await readFile(join(folder, "pending", `${"a".repeat(64)}.md`), "utf8");
  expect(shown.split("\n")[0]).toBe(whetstoneMarker);
  // pasted by the person, or read by the agent, with numbers before the lines as its tool puts them
  expect(await readBoth(shown)).toEqual([ours, ours]);
  const numbered = shown.replaceAll(/^/gm, "     1→");
  const typed = "Answer the questions in .whetstone/handoff/pending.";
  expect((await readBoth(typed, numbered))[0]).toEqual({
    skipped: "It answers questions from Whetstone.",
  });
  expect((await readBoth(typed, "nothing there"))[0]).toMatchObject({ turns: [{ prompt: typed }] });
});

/** A `claude` that passes on what it is asked. */
const standIn = `#!/usr/bin/env node
if (process.argv[2] === "--version") { console.log("9.9.9 (Stand-in)"); process.exit(0); }
const say = (event) => console.log(JSON.stringify(event));
const asked = require("node:fs").readFileSync(0, "utf8");
const headers = { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY };
fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers, body: JSON.stringify({ model: "m", max_tokens: 50, messages: [{ role: "user", content: asked }] }) })
  .then((response) => response.json())
  .then(({ content }) => {
    say({ type: "assistant", message: { model: "m", content } });
    say({ type: "result", subtype: "success", is_error: false });
  });
`;

/** All that the core has: the optimizer's, the judge's, the miner's. */
async function promptsOfOurs(): Promise<readonly Prompt<unknown>[]> {
  const core = resolve(import.meta.dirname, "../../../core");
  const files = (await readdir(core, { recursive: true })).filter((path) => /(?<!\.test)\.ts$/.test(path));
  const modules = await Promise.all(
    files.map(async (path): Promise<unknown> => await import(join(core, path))),
  );
  return modules.flatMap((module) => Object.values(module as object)).filter(isPrompt);
}

const isPrompt = (value: unknown): value is Prompt<unknown> =>
  isObject(value) &&
  ["name", "instructions", "replyFormat"].every((field) => typeof value[field] === "string");

/** What two agents' histories give when this was the first prompt. */
async function readBoth(prompt: string, output = "") {
  const home = await tempDir();
  const timestamp = "2026-11-15T12:00:00Z";
  const files = {
    "claude/projects/x/one.jsonl": [
      {
        type: "user",
        uuid: "u",
        cwd: recordedProject,
        timestamp,
        message: { role: "user", content: prompt },
      },
      {
        type: "user",
        uuid: "r",
        cwd: recordedProject,
        timestamp,
        toolUseResult: {},
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: output }] },
      },
    ],
    "codex/sessions/2026/11/15/rollout-one.jsonl": [
      { type: "session_meta", timestamp, payload: { id: "one", cwd: recordedProject } },
      { type: "event_msg", timestamp, payload: { type: "user_message", message: prompt } },
    ],
  };
  for (const [path, records] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), asLines(records));
  }
  const sources = [
    claudeCodeSource({ home: join(home, "claude") }),
    codexSource({ home: join(home, "codex") }),
  ];
  return await Promise.all(sources.map(async (source) => (await readAll(source)).get("one")));
}
