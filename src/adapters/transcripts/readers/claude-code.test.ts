import { appendFile, mkdir, readFile, stat, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { claudeCodeSource } from "./claude-code.ts";
import { asLines, fixtureHome, readAll, recordedProject } from "../../../../test/support/fixture-home.ts";
import { wrote } from "../../../../test/support/reminders/recorded-calls.ts";

const twoTurns = "02d3497b-2806-431a-b5fc-a8143a20210e";
const withPlugin = "52c9e2e0-bff1-40c3-967f-343ba0771b6a";
const fork = "d27fd8ea-7bc0-4cbd-8991-dc360594a30f";
const slash = "1a1fd743-4de9-4cce-8431-9be567eeeebf";
const withSubagent = "061975eb-6976-4f75-9af4-7b53d48d95bd";

test("a recorded conversation gives prompts, last answers, tools, files and times", async () => {
  const found = await readAll(claudeCodeSource({ home: await fixtureHome("claude-code") }));
  expect(found.get(twoTurns)).toEqual({
    calls: [wrote(1, "hello.txt"), wrote(2, "hello2.txt")],
    id: `claude-code:${twoTurns}`,
    source: "claude-code",
    version: expect.stringMatching(/^2\.\d/) as unknown,
    project: recordedProject,
    branch: "feature-x",
    startedAt: Date.parse("2026-11-15T00:11:57.083Z"),
    endedAt: Date.parse("2026-11-15T00:11:58.236Z"),
    turns: [
      { prompt: "Write hello.txt using npm", answer: "done." },
      { prompt: "no, use pnpm instead", answer: "switched to pnpm." },
    ],
    tools: ["Write"],
    skills: [],
    files: ["hello.txt", "hello2.txt"],
    heard: expect.any(Array),
    toolOutputs: [
      "File created successfully at: /home/dev/project/hello.txt (file state is current in your context — no need to Read it back)",
      "File created successfully at: /home/dev/project/hello2.txt (file state is current in your context — no need to Read it back)",
    ],
  });
});

test("a slash command that gives the model a skill is a prompt and names the skill", async () => {
  const found = await readAll(claudeCodeSource({ home: await fixtureHome("claude-code") }));
  expect(found.get(slash)).toMatchObject({
    turns: [{ prompt: "/greet-style now", answer: "ok" }],
    skills: ["greet-style"],
  });
});

test("what a subagent said is in no conversation", async () => {
  const home = await fixtureHome("claude-code");
  const agent = join(
    home,
    "projects/-home-dev-project",
    withSubagent,
    "subagents/agent-aa77270d6bd7ac3b2.jsonl",
  );
  await writeFile(
    join(home, "projects/-home-dev-project/agent-aa77270d6bd7ac3b2.jsonl"),
    await readFile(agent),
  );
  const found = await readAll(claudeCodeSource({ home }));
  expect([...found.keys()].filter((id) => id.startsWith("agent-"))).toEqual([]);
  expect(found.get(withSubagent)).toMatchObject({ turns: [{ prompt: expect.any(String) }] });
  const first = JSON.parse((await readFile(agent, "utf8")).split("\n")[0] ?? "");
  expect(JSON.stringify(found.get(withSubagent))).not.toContain(JSON.stringify(first.message.content));
});

test("a fork holds only what was said in it", async () => {
  const found = await readAll(claudeCodeSource({ home: await fixtureHome("claude-code") }));
  expect(found.get(fork)).toMatchObject({ turns: [{ prompt: "no, keep notes in docs/" }], skills: [] });
});

test("fault 18: the skill of a plugin goes by the name of its folder", async () => {
  const found = await readAll(claudeCodeSource({ home: await fixtureHome("claude-code") }));
  expect(
    await readFile(
      join(await fixtureHome("claude-code"), "projects/-home-dev-project", `${withPlugin}.jsonl`),
      "utf8",
    ),
  ).toContain('"team:house-style"');
  expect(found.get(withPlugin)).toMatchObject({ skills: ["house-style"] });
});

test("fault 14: a compaction and commands of the program are no prompts, and files come from what was written", async () => {
  const home = await fixtureHome("claude-code");
  const text = await readFile(join(home, "projects/-home-dev-project", `${withPlugin}.jsonl`), "utf8");
  for (const mark of [
    "isCompactSummary",
    "/compact</command-name>",
    "<local-command-stdout>",
    '"isMeta":true',
  ])
    expect(text).toContain(mark);
  expect((await readAll(claudeCodeSource({ home }))).get(withPlugin)).toMatchObject({
    turns: [
      { prompt: "use the plugin skill for the notes" },
      { prompt: "please write it once more", answer: "Done." },
    ],
    files: ["notes.md"],
  });
});

test("fault 14: interruptions, meta records, tool results, snapshots and notes of an editor are no prompts", async () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 12, 0, second)).toISOString();
  const user = (second: number, content: unknown, more: object = {}) => ({
    type: "user",
    uuid: `u${second}`,
    cwd: recordedProject,
    timestamp: at(second),
    message: { role: "user", content },
    ...more,
  });
  const text = (words: string) => [{ type: "text", text: words }];
  const home = await homeWith([
    {
      type: "file-history-snapshot",
      messageId: "m",
      snapshot: { trackedFileBackups: { "a.ts": {} }, timestamp: at(0) },
    },
    user(1, "Tidy the parser."),
    { type: "assistant", uuid: "a2", timestamp: at(2), message: { id: "m1", content: text("First part.") } },
    { type: "assistant", uuid: "a3", timestamp: at(2), message: { id: "m1", content: text("Second part.") } },
    user(4, text("[Request interrupted by user]")),
    user(5, text("[Request interrupted by user for tool use]")),
    user(6, "<local-command-caveat>Caveat</local-command-caveat>", { isMeta: true }),
    user(
      7,
      "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
    ),
    user(8, "<local-command-stdout></local-command-stdout>"),
    user(9, "<bash-input>ls</bash-input>"),
    user(10, "<bash-stdout>a.ts</bash-stdout><bash-stderr></bash-stderr>"),
    user(11, "Background task finished.", { origin: { kind: "task-notification" } }),
    user(12, [{ type: "tool_result", tool_use_id: "t", content: text("SECRET WORDS OF A PAGE") }], {
      toolUseResult: {},
    }),
    user(13, "From a side branch.", { isSidechain: true }),
    user(14, [...text("<ide_opened_file>The user opened a.ts</ide_opened_file>"), ...text("Use tabs.")]),
    {
      type: "attachment",
      uuid: "q",
      timestamp: at(15),
      cwd: recordedProject,
      attachment: { type: "queued_command", commandMode: "prompt", prompt: "And keep it short." },
    },
    {
      type: "assistant",
      uuid: "a4",
      timestamp: at(16),
      isApiErrorMessage: true,
      message: { id: "m2", content: text("API Error: 529") },
    },
    {
      type: "assistant",
      uuid: "a5",
      timestamp: at(17),
      message: {
        id: "m3",
        content: [
          { type: "tool_use", id: "e", name: "Edit", input: { file_path: `${recordedProject}/src/a.ts` } },
          { type: "tool_use", id: "n", name: "NotebookEdit", input: { notebook_path: "/elsewhere/b.ipynb" } },
        ],
      },
    },
    user(1, "Tidy the parser."),
  ]);
  const [found] = (await readAll(claudeCodeSource({ home }))).values();
  expect(found).toMatchObject({
    turns: [
      { prompt: "Tidy the parser.", answer: "First part.\n\nSecond part." },
      { prompt: "Use tabs.", answer: "" },
      { prompt: "And keep it short.", answer: "" },
    ],
    files: ["src/a.ts", "/elsewhere/b.ipynb"],
    tools: ["Edit", "NotebookEdit"],
    toolOutputs: ["a.ts", "SECRET WORDS OF A PAGE"],
  });
});

test("a last line that is still being written costs nothing, and the file is not touched", async () => {
  const home = await fixtureHome("claude-code");
  const path = join(home, "projects/-home-dev-project", `${twoTurns}.jsonl`);
  await appendFile(path, '{"type":"user","message":{"role":"user","content":"half a sen');
  const before = await stat(path);
  const found = await readAll(claudeCodeSource({ home }));
  expect(found.get(twoTurns)).toMatchObject({ turns: [{}, { answer: "switched to pnpm." }] });
  expect((await stat(path)).mtimeMs).toBe(before.mtimeMs);
});

test("a conversation without a prompt says so, and an agent that was never used has none", async () => {
  const home = await homeWith([
    { type: "attachment", uuid: "a", cwd: recordedProject, attachment: { type: "date" } },
  ]);
  expect([...(await readAll(claudeCodeSource({ home }))).values()]).toEqual([
    { skipped: "It contains no typed prompt.", isEmpty: true },
  ]);
  expect(await readAll(claudeCodeSource({ home: join(home, "nowhere") }))).toEqual(new Map());
});

async function homeWith(records: readonly object[]): Promise<string> {
  const home = await tempDir();
  const path = join(home, "projects/-home-dev-project/one.jsonl");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, asLines(records));
  return home;
}

test("what the program noted as pasted is known as such, also where its text lies in a file of its own", async () => {
  const home = await fixtureHome("claude-code");
  const paste = (content: object) => ({ display: "[Pasted text #1]", pastedContents: { 1: content } });
  await mkdir(join(home, "paste-cache"));
  await writeFile(join(home, "paste-cache/0123456789abcdef.txt"), "A long page.");
  await writeFile(
    join(home, "history.jsonl"),
    asLines([
      { ...paste({ id: 1, type: "text", content: "A note." }), sessionId: twoTurns },
      { ...paste({ id: 1, type: "text", contentHash: "0123456789abcdef" }), sessionId: twoTurns },
      { ...paste({ id: 1, type: "text", content: "Of another one." }), sessionId: "other" },
    ]),
  );
  const source = claudeCodeSource({ home });
  const pastes = async () => (await readAll(source)).get(twoTurns);
  expect(await pastes()).toMatchObject({ pastes: ["A note.", "A long page."] });
  // one file of all conversations: it is read once for all of them
  await rm(join(home, "history.jsonl"));
  expect(await pastes()).toMatchObject({ pastes: ["A note.", "A long page."] });
});

test("the history of prompts is opened once for all conversations", async () => {
  const home = await fixtureHome("claude-code");
  await writeFile(join(home, "history.jsonl"), asLines([{ sessionId: twoTurns, pastedContents: {} }]));
  const opened: string[] = [];
  const fs = process.getBuiltinModule("node:fs");
  const { createReadStream } = fs;
  const spy = vi.spyOn(fs, "createReadStream").mockImplementation((path, options) => {
    opened.push(basename(String(path)));
    return createReadStream(path, options);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  const all = await readAll(claudeCodeSource({ home }));
  expect(all.size).toBeGreaterThan(1);
  expect(opened.filter((name) => name === "history.jsonl")).toEqual(["history.jsonl"]);
});

test("a prompt that the project's own agent begins with counts as pasted", async () => {
  const home = await tempDir();
  const project = await tempDir({
    ".claude/agents/folder.md/x": "no agent",
    ".claude/agents/helper.md": "---\nname: helper\ninitialPrompt: No, always use npm here.\n---\n\nHelp.\n",
  });
  await mkdir(join(home, "projects", "p"), { recursive: true });
  const record = {
    type: "user",
    cwd: project,
    sessionId: "s",
    promptSource: "typed",
    timestamp: "2026-11-18T10:00:00Z",
  };
  const message = { role: "user", content: "No, always use npm here.\n\nAdd zod." };
  await writeFile(
    join(home, "projects", "p", "s.jsonl"),
    `${JSON.stringify({ ...record, uuid: "u", message })}\n`,
  );
  const found = await readAll(claudeCodeSource({ home }), project);
  expect([...found.values()]).toMatchObject([{ pastes: ["No, always use npm here."] }]);
});
