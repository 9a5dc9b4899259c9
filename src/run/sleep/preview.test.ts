import { expect, test } from "vitest";
import type { Digest } from "../../core/sleep/digest.ts";
import { conversationText } from "../../core/sleep/mine.ts";
import { previewLines } from "./preview.ts";

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

test("it shows the very text that would be sent, and counts what was taken out by kind", () => {
  const lines = previewLines([digest]);
  const text = conversationText(digest);
  expect(lines.slice(0, 4)).toEqual([
    `1 conversation would be sent to the miner, ${text.length} characters in all:`,
    "taken out: 2 secrets (2 github)",
    "",
    "codex:1, 1970-01-01T00:00:00.000Z, taken out: 2 secrets (2 github)",
  ]);
  for (const line of text.split("\n"))
    expect(lines).toContain(`  ${line.replace("\u001b", "\\u{1b}")}`.trimEnd());
});

test("a terminal is shown escape sequences and does not obey them", () => {
  expect(previewLines([digest]).join("\n")).not.toContain("\u001b");
});

test("without a conversation nothing would leave", () => {
  expect(previewLines([])).toEqual(["No conversation is new: nothing would leave this machine."]);
});
