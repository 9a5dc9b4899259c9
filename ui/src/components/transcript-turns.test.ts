import { expect, test } from "vitest";
import { summarizeInput, transcriptTurns } from "./transcript-turns.ts";

test("a chat is asked and answered", () => {
  expect(
    transcriptTurns([
      { role: "user", content: "Which shelf?" },
      { role: "assistant", content: "G-235" },
    ]),
  ).toEqual([
    { kind: "asked", text: "Which shelf?" },
    { kind: "answered", text: "G-235" },
  ]);
});

test("a tool call is one turn with its result, also when two run at a time", () => {
  const turns = transcriptTurns([
    { role: "user", content: "Count the lines." },
    { role: "assistant", content: '[Bash] {"command":"wc -l a"}' },
    { role: "assistant", content: '[Bash] {"command":"wc -l b"}' },
    { role: "user", content: "[Bash] 12 a" },
    { role: "user", content: "[Bash failed] no such file" },
    { role: "assistant", content: "12" },
  ]);
  expect(turns.map(({ kind }) => kind)).toEqual(["asked", "call", "call", "answered"]);
  expect(turns[1]).toMatchObject({ tool: "Bash", output: "12 a", failed: false });
  expect(turns[2]).toMatchObject({ tool: "Bash", output: "no such file", failed: true });
});

test("a call without a result stays open", () => {
  const [turn] = transcriptTurns([{ role: "assistant", content: "[Read] {}" }]);
  expect(turn).toEqual({ kind: "call", tool: "Read", input: "{}", failed: false });
});

test("an answer that begins with a bracket is an answer", () => {
  const turns = transcriptTurns([
    { role: "assistant", content: "[see note] the shelf is G-235" },
    { role: "assistant", content: "[1] not json" },
    { role: "user", content: "[note] a task may begin so" },
  ]);
  expect(turns.map(({ kind }) => kind)).toEqual(["answered", "answered", "asked"]);
});

test("a folded call shows its first words", () => {
  expect(summarizeInput('{"command": "ls\\n -la"}')).toBe("ls -la");
  expect(summarizeInput('{"depth": 2}')).toBe('{"depth":2}');
  expect(summarizeInput("[]")).toBe("[]");
});
