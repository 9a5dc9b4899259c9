import { expect, test } from "vitest";
import { createRedactor } from "../adapters/redaction/create-redactor.ts";
import type { Digest } from "../core/ports/conversation.ts";
import type { Document } from "../core/rules/learned/document.ts";
import { conversationText } from "./mine/conversation-text.ts";
import { noNights } from "./state.ts";
import type { LearnedRule } from "../core/rules/learned/learned-rule.ts";
import { previewLines, previewNight } from "./preview.ts";

const digest: Digest = {
  v: 1,
  id: "codex:1",
  source: "codex",
  project: "/home/dev/project",
  startedAt: 0,
  endedAt: 0,
  turns: [
    {
      prompt: "Use «SECRET:github:1», not «SECRET:github:2».\nNow.",
      answer: "«SECRET:github:1» \u001b[31mit is.",
    },
  ],
  tools: ["shell"],
  skills: [],
  files: [],
  untrusted: ["abc"],
};

const redactor = await createRedactor({ env: {} });
const document: Document = {
  id: "skill:deploy",
  kind: "skill",
  scope: "project",
  name: "deploy",
  path: "/home/dev/project/.claude/skills/deploy",
  skill: {
    main: "SKILL.md",
    files: { "SKILL.md": "Deploy with care.", "notes.md": "use 7f3c9a1be24d8057 there" },
  },
};
const look = (documents: readonly Document[]) =>
  previewNight({ conversations: [digest], documents, memories: [], state: noNights, redactor });

test("it shows the very text that would be sent, and counts what was taken out by kind", async () => {
  const lines = previewLines(await look([]));
  const text = conversationText(digest);
  expect(lines.slice(0, 5)).toEqual([
    `1 conversation would be sent to the models, ${text.length} characters in total:`,
    "removed: 2 secrets (2 github)",
    "left: nothing that looks like a secret",
    "",
    "codex:1, 1970-01-01T00:00:00.000Z, removed: 2 secrets (2 github)",
  ]);
  for (const line of text.split("\n"))
    expect(lines).toContain(`  ${line.replace("\u001b", "\\u{1b}")}`.trimEnd());
});

test("documents are shown with all their files, and what looks like a secret is marked and counted", async () => {
  const texts = await look([document]);
  const lines = previewLines(texts);
  expect(texts.map(({ left }) => left)).toEqual([[], ["7f3c9a1be24d8057"]]);
  expect(lines[0]).toMatch(/^1 conversation, 1 document would be sent/);
  expect(lines[2]).toBe("left: 1 word that may be a secret, marked ⟪so⟫ below");
  expect(lines).toContain("deploy (project skill), removed: nothing");
  expect(lines).toContain("  Deploy with care.");
  expect(lines).toContain("? use ⟪7f3c9a1be24d8057⟫ there");
  expect(lines.at(-2)).toMatch(/^1 marked word: /);
});

test("a secret in a document is taken out before it is shown", async () => {
  const files = { "SKILL.md": "password: hunter2!xyz" };
  const [, shown] = await look([{ ...document, skill: { main: "SKILL.md", files } }]);
  expect(shown?.text).toBe("password: «SECRET:assignment:1»");
});

test("a terminal is shown escape sequences and does not obey them", async () => {
  expect(previewLines(await look([])).join("\n")).not.toContain("\u001b");
});

test("without a conversation nothing would leave", async () => {
  const texts = await previewNight({
    conversations: [],
    documents: [document],
    memories: [{ name: "Codex's own memory (MEMORY.md)", readBy: ["codex"], text: "- Use tabs." }],
    state: noNights,
    redactor,
  });
  expect(previewLines(texts)).toEqual(["No new conversations, so nothing would leave this machine."]);
});

test("what earlier nights left is shown: words of wishes, rules, and why one was rejected; tasks of a file too", async () => {
  const said = { conversation: "codex:0", kind: "statement", isRule: true, at: 0, agent: "codex" } as const;
  const rule: LearnedRule = {
    id: "r1",
    document: document.id,
    edit: { op: "add", text: "Use tabs." },
    origin: "learned",
    provenance: { conversations: [], tasks: [] },
    evidence: [],
    status: "rejected",
    reason: "You rejected it: never.",
  };
  const texts = await previewNight({
    conversations: [],
    tasks: [
      {
        task: { id: "t1", input: "Write to Ada.", checks: [] },
        kind: "task",
        seen: [],
        outcome: "unknown",
        evidence: [],
        scope: "project",
        said: [{ ...said, text: "Be brief." }],
        paraphrases: [],
      },
    ],
    documents: [],
    memories: [],
    state: {
      ...noNights,
      rules: [
        rule,
        { ...rule, id: "r2", edit: { op: "delete", target: "Use spaces." }, status: "open" },
        { ...rule, id: "r3", edit: { op: "add", text: "Say please." }, status: "stated" },
      ],
      wishes: [
        {
          id: "w-1",
          scope: "project",
          documents: [],
          said: [
            { ...said, text: "" },
            { ...said, text: "say please, will you" },
          ],
          wordings: [{ text: "Say please.", by: "proposed", from: [] }],
          tasks: [],
          state: { kind: "open", at: 0, reason: "" },
          sameAs: [],
          absorbed: [],
        },
      ],
    },
    redactor,
  });
  expect(previewLines(texts)[0]).toMatch(/^1 task, 1 wish, 2 rules would be sent/);
  expect(texts.map(({ text }) => text).slice(1)).toEqual([
    'Say please.\n"say please, will you" (1970-01-01)',
    'add "Use tabs.": You rejected it: never.',
    'delete "Use spaces."',
  ]);
  expect(texts[0]?.text).toMatch(/"Write to Ada\."[^]*Be brief\.$/);
});
