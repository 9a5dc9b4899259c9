import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { hashText } from "../../../core/canonical.ts";
import { geminiCliSource } from "./gemini-cli.ts";
import { looked, ran, wrote } from "../../../../test/support/reminders/recorded-calls.ts";

const fixtures = join(import.meta.dirname, "../../../../test/fixtures/transcripts/gemini-cli");
const log = "session-2026-09-28T07-14-9f3d2c1b.jsonl";
const older = "session-2025-10-01T09-00-1a2b3c4d.json";
const inShop = { project: "/home/dev/shop", since: 0 };

let home: string;
beforeEach(async () => {
  home = await tempDir();
});

function keep(name: string, file: string, as = file): string {
  const own = join(home, "tmp", name);
  mkdirSync(join(own, "chats"), { recursive: true });
  copyFileSync(join(fixtures, file), join(own, "chats", as));
  return own;
}

test("a conversation: messages that came again, went back and were put in by the program", async () => {
  writeFileSync(join(keep("shop", log), ".project_root"), "/home/dev/shop");
  const source = geminiCliSource({ home });
  const [ref] = await source.list(inShop);
  expect(await source.read(ref!)).toEqual({
    calls: [wrote(1, "src/cart.ts"), looked(1), ran(1, "npm", "install", "decimal.js")],
    id: `gemini-cli:${log.slice(0, -".jsonl".length)}`,
    source: "gemini-cli",
    project: "/home/dev/shop",
    startedAt: Date.UTC(2026, 8, 28, 7, 14),
    endedAt: Date.UTC(2026, 8, 28, 7, 16, 4),
    turns: [
      {
        prompt: "Add a discount to @src/cart.ts and install what you need",
        answer: "The cart takes a discount now; I ran npm install decimal.js.",
      },
      { prompt: "no, use pnpm instead", answer: "Done with pnpm." },
    ],
    tools: ["replace", "activate_skill", "run_shell_command"],
    skills: ["money"],
    files: ["src/cart.ts"],
    heard: expect.any(Array),
    toolOutputs: [
      expect.stringContaining("export const total = 1;"),
      "Successfully modified file: /home/dev/shop/src/cart.ts (1 replacements).",
      '<ACTIVATED_SKILL name="money">Prices are integers of cents, always.</ACTIVATED_SKILL>',
      "Output: added 1 package, and audited 214 packages in 2s\nExit Code: 0",
    ],
  });
});

test("fault 14: the session's context, commands of the program and what was taken back are no prompts", async () => {
  writeFileSync(join(keep("shop", log), ".project_root"), "/home/dev/shop\n");
  const source = geminiCliSource({ home });
  const [ref] = await source.list(inShop);
  const read = await source.read(ref!);
  const conversation = JSON.stringify("turns" in read ? read.turns : read);
  for (const words of ["session_context", "/stats", "use yarn", "referenced files", "Request cancelled"])
    expect(conversation).not.toContain(words);
});

test("a folder is known by its mark, by the list of short names, or by the hash that older versions used", async () => {
  keep("shop-2", log);
  writeFileSync(
    join(home, "projects.json"),
    JSON.stringify({ projects: { "/home/dev/shop/api": "shop-2" } }),
  );
  keep(hashText("/home/dev/shop"), older);
  keep(hashText("/home/dev/else"), older);
  keep("unknown", older);
  const source = geminiCliSource({ home });
  const refs = await source.list(inShop);
  const projects = await Promise.all(refs.map((ref) => source.read(ref)));
  expect(new Set(projects.map((each) => "project" in each && each.project))).toEqual(
    new Set(["/home/dev/shop", "/home/dev/shop/api"]),
  );
});

test("an older version's single object is read, until it goes on as a log", async () => {
  const own = keep("shop", older);
  writeFileSync(join(own, ".project_root"), "/home/dev/shop");
  const source = geminiCliSource({ home });
  const [ref] = await source.list(inShop);
  expect(await source.read(ref!)).toMatchObject({
    startedAt: Date.UTC(2025, 9, 1, 9),
    turns: [{ prompt: "Which command runs the tests?", answer: "Run `make check`." }],
  });
  keep("shop", log, `${older}l`);
  expect((await source.list(inShop)).map((each) => each.path.endsWith(".jsonl"))).toEqual([true]);
});

test("a checkpoint replaces all messages before it; a subagent's file and a damaged one are skipped", async () => {
  const own = keep("shop", older);
  writeFileSync(join(own, ".project_root"), "/home/dev/shop");
  const write = (name: string, records: readonly unknown[]) =>
    writeFileSync(join(own, "chats", name), records.map((each) => JSON.stringify(each)).join("\n"));
  const about = { sessionId: "s", projectHash: "h" };
  const kept = { id: "b", type: "user", content: "kept" };
  write("session-a.jsonl", [
    about,
    { id: "a", type: "user", content: "gone" },
    { $set: { messages: [kept] } },
  ]);
  write("session-b.jsonl", [{ ...about, kind: "subagent" }, kept]);
  write("session-c.jsonl", [kept]);
  const source = geminiCliSource({ home });
  const refs = (await source.list(inShop)).filter(({ path }) => path.endsWith(".jsonl"));
  expect(await Promise.all(refs.map((ref) => source.read(ref)))).toMatchObject([
    { turns: [{ prompt: "kept" }] },
    { skipped: "It belongs to a subagent." },
    { skipped: "Its file is damaged." },
  ]);
});

test("once a conversation was resumed, calls and their results stand among the parts of messages", async () => {
  const message = (id: string, type: string, content: readonly object[]) => ({ id, type, content });
  const messages = [
    message("1", "user", [{ text: "Add zod." }]),
    message("2", "gemini", [
      { functionCall: { name: "run_shell_command", args: { command: "cat NOTES.md" } } },
    ]),
    message("3", "user", [
      { functionResponse: { name: "run_shell_command", response: { output: "NOTES" } } },
    ]),
    message("4", "gemini", [{ text: "Done." }]),
  ];
  const own = keep("shop", log);
  writeFileSync(join(own, ".project_root"), "/home/dev/shop");
  writeFileSync(
    join(own, "chats", log),
    [{ sessionId: "a", kind: "main" }, { $set: { messages } }]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
  const source = geminiCliSource({ home });
  const [ref] = await source.list(inShop);
  expect(await source.read(ref!)).toMatchObject({
    turns: [{ prompt: "Add zod.", answer: "Done." }],
    tools: ["run_shell_command"],
    toolOutputs: ["NOTES"],
  });
});
