import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { codexSource } from "./codex.ts";
import { asLines, fixtureHome, readAll, recordedProject } from "../../../../test/support/fixture-home.ts";
import { ran, wrote } from "../../../../test/support/reminders/recorded-calls.ts";

const twoTurns = "01a1dc8d-97b5-7930-b7f0-dcbfb69ab98c";
const skillRead = "01a1dc8d-931b-7fc0-8e23-6ea526006283";
const skillChosen = "01a1dc93-4dcb-7180-93b8-fcf4231342a9";
const compacted = "01a1e45f-f5c5-7df1-b2d3-98ec31c60884";
const file = `sessions/2026/11/15/rollout-2026-11-15T00-13-49-${twoTurns}.jsonl`;

test("fault 15: live and archived conversations are read, and each prompt counts once", async () => {
  const found = await readAll(codexSource({ home: await fixtureHome("codex") }));
  expect([...found.keys()].toSorted()).toEqual([skillRead, twoTurns, skillChosen, compacted]);
  expect(found.get(twoTurns)).toEqual({
    calls: [
      {
        prompts: 1,
        acts: [...wrote(1, "hello.txt").acts, ...ran(1, "printf", "%s", "hello SKILLMARK-7731\n").acts],
      },
      { prompts: 2, acts: [...wrote(2, "hello2.txt").acts, ...ran(2, "printf", "%s", "pnpm\n").acts] },
    ],
    id: `codex:${twoTurns}`,
    source: "codex",
    version: "0.166.0",
    project: recordedProject,
    branch: "feature-x",
    commit: "a1356c8d8bb22cefd1215640e8abed31f65e2337",
    startedAt: Date.parse("2026-11-15T00:13:49.452Z"),
    endedAt: Date.parse("2026-11-15T00:13:50.645Z"),
    turns: [
      { prompt: "Write hello.txt using npm", answer: "done." },
      { prompt: "no, use pnpm instead", answer: "switched to pnpm." },
    ],
    tools: ["exec_command"],
    skills: [],
    files: [],
    heard: expect.any(Array),
    toolOutputs: expect.any(Array),
  });
});

test("fault 15: in the older form too, where an event and a response repeat one another, each prompt counts once", async () => {
  const home = await homeWith([
    meta("old"),
    response("user", "<user_instructions>\n\nBe brief.\n\n</user_instructions>"),
    response("user", "<environment_context>\n<cwd>/home/dev/project</cwd>\n</environment_context>"),
    response("user", "Fix the test."),
    event({ type: "user_message", message: "Fix the test.", kind: "plain" }),
    event({ type: "agent_message", message: "Fixed." }),
    response("assistant", "Fixed."),
    event({
      type: "user_message",
      message:
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nFix the test.\n",
    }),
    response(
      "user",
      "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nFix the test.\n",
    ),
  ]);
  expect((await readAll(codexSource({ home }))).get("old")).toMatchObject({
    turns: [
      { prompt: "Fix the test.", answer: "Fixed." },
      { prompt: "Fix the test.", answer: "" },
    ],
  });
});

test("fault 18: skills are known from a file that was read and from a choice with $", async () => {
  const found = await readAll(codexSource({ home: await fixtureHome("codex") }));
  expect(found.get(skillRead)).toMatchObject({
    skills: ["greet-style"],
    turns: [{ answer: "done with skill." }],
  });
  expect(found.get(skillChosen)).toMatchObject({
    skills: ["greet-style"],
    turns: [{ prompt: "use $greet-style to write hello", answer: "ok" }],
  });
});

test("without events the prompts come from the responses, without what Codex puts around them", async () => {
  const home = await fixtureHome("codex");
  const lines = (await readFile(join(home, file), "utf8")).split("\n");
  await writeFile(join(home, file), lines.filter((line) => !line.includes('"event_msg"')).join("\n"));
  expect((await readAll(codexSource({ home }))).get(twoTurns)).toMatchObject({
    turns: [
      { prompt: "Write hello.txt using npm", answer: "done." },
      { prompt: "no, use pnpm instead", answer: "switched to pnpm." },
    ],
  });
});

test("patches name the files; turns that were taken back are gone", async () => {
  const patch =
    "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** Add File: docs/b.md\n+b\n*** End Patch";
  const home = await homeWith([
    meta("patched"),
    event({ type: "user_message", message: "Rename it." }),
    { type: "response_item", payload: { type: "custom_tool_call", name: "apply_patch", input: patch } },
    {
      type: "response_item",
      payload: { type: "custom_tool_call_output", output: '{"output":"Success.","metadata":{}}' },
    },
    {
      type: "response_item",
      payload: {
        type: "function_call",
        name: "shell",
        arguments: JSON.stringify({ command: ["apply_patch", patch.replace("src/a.ts", "src/c.ts")] }),
      },
    },
    event({
      type: "item_completed",
      item: { type: "FileChange", changes: { [`${recordedProject}/src/d.ts`]: {} } },
    }),
    event({ type: "agent_message", message: "Renamed." }),
    event({ type: "user_message", message: "No, wrong." }),
    event({ type: "thread_rolled_back", num_turns: 1 }),
  ]);
  expect((await readAll(codexSource({ home }))).get("patched")).toMatchObject({
    turns: [{ prompt: "Rename it.", answer: "Renamed." }],
    files: ["src/a.ts", "docs/b.md", "src/c.ts", "src/d.ts"],
    tools: ["apply_patch", "shell"],
    toolOutputs: ["Success."],
  });
});

test("a subagent's conversation is skipped", async () => {
  const home = await homeWith([
    { ...meta("sub"), payload: { ...meta("sub").payload, source: { subagent: { thread_spawn: {} } } } },
    event({ type: "user_message", message: "Look around." }),
  ]);
  expect((await readAll(codexSource({ home }))).get("sub")).toEqual({ skipped: "It belongs to a subagent." });
});

test("a packed conversation is read, and one that stands in two places counts once", async () => {
  const home = await fixtureHome("codex");
  const text = await readFile(join(home, file));
  await writeFile(join(home, `${file}.zst`), zstdCompressSync(text));
  await mkdir(join(home, "archived_sessions"), { recursive: true });
  const found = await readAll(codexSource({ home }));
  expect(found.get(twoTurns)).toMatchObject({ turns: [{ answer: "done." }, {}] });
  await rm(join(home, file));
  expect((await readAll(codexSource({ home }))).get(twoTurns)).toEqual(found.get(twoTurns));
  await rename(join(home, `${file}.zst`), join(home, "archived_sessions", `rollout-${twoTurns}.jsonl.zst`));
  expect((await readAll(codexSource({ home }))).get(twoTurns)).toEqual(found.get(twoTurns));
});

const meta = (id: string) => ({
  type: "session_meta",
  timestamp: "2026-11-15T00:00:00Z",
  payload: { id, cwd: recordedProject },
});
const event = (payload: object) => ({ type: "event_msg", timestamp: "2026-11-15T00:00:01Z", payload });
const response = (role: string, text: string) => ({
  type: "response_item",
  timestamp: "2026-11-15T00:00:01Z",
  payload: {
    type: "message",
    role,
    content: [{ type: role === "user" ? "input_text" : "output_text", text }],
  },
});

async function homeWith(records: readonly object[]): Promise<string> {
  const home = await tempDir();
  const path = join(home, "sessions/2026/11/15/rollout-one.jsonl");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, asLines(records));
  return home;
}

test("a recorded /compact keeps the answer before it, and what a `!` command printed is no prompt", async () => {
  const home = await fixtureHome("codex");
  expect((await readAll(codexSource({ home }))).get(compacted)).toMatchObject({
    turns: [
      { prompt: "Add zod to the project.", answer: "I ran npm install zod." },
      { prompt: "No. We use pnpm here, not npm.", answer: "I ran pnpm add zod." },
    ],
    toolOutputs: [expect.stringContaining("PRINTED BY A COMMAND")],
  });
});
