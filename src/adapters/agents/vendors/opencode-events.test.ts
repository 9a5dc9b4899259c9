import fc from "fast-check";
import { expect, test } from "vitest";
import { opencodeReader } from "./opencode-events.ts";

const read = (...events: readonly object[]) => {
  const reader = opencodeReader();
  for (const event of events) reader.line(JSON.stringify(event));
  return reader.read();
};

const start = { type: "step_start", part: { type: "step-start" } };
const finish = (reason: string) => ({ type: "step_finish", part: { type: "step-finish", reason } });
const say = (text: string) => ({ type: "text", part: { type: "text", text } });
const tool = (name: string, input: object, state: object) => ({
  type: "tool_use",
  part: { type: "tool", tool: name, callID: `call-${name}`, state: { status: "completed", input, ...state } },
});
const error = (name: string, data: object) => ({ type: "error", error: { name, data } });

const loadsSkill = tool(
  "skill",
  { name: "greet" },
  { output: "<skill_content>", metadata: { name: "greet", dir: "/x" } },
);

test("a run that loads a skill, writes a file and ends is read whole", () => {
  const reading = read(
    start,
    loadsSkill,
    finish("tool-calls"),
    start,
    say("Now I write."),
    tool("write", { filePath: "/w/a.txt", content: "hi" }, { output: "Wrote file successfully." }),
    finish("tool-calls"),
    start,
    say("Done."),
    finish("stop"),
  );
  expect(reading).toMatchObject({ text: "Done.", loaded: ["greet"], ended: "done" });
  expect(reading.toolCalls).toEqual([
    { name: "skill", input: { name: "greet" }, output: "<skill_content>", failed: false },
    {
      name: "write",
      input: { filePath: "/w/a.txt", content: "hi" },
      output: "Wrote file successfully.",
      failed: false,
    },
  ]);
  expect(reading.conversation.map(({ role }) => role).join(" ")).toBe(
    "assistant user assistant assistant user assistant",
  );
});

test("a stream that stops after a tool call has no end", () => {
  expect(read(start, loadsSkill, finish("tool-calls"))).not.toHaveProperty("ended");
  expect(read(start, finish("stop"), start)).not.toHaveProperty("ended");
});

test("length and the content filter are ends of the task, also when they arrive as errors", () => {
  expect(read(start, say("half an"), finish("length")).ended).toBe("length");
  const filtered = read(start, finish("content-filter"), error("ContentFilterError", { message: "blocked" }));
  expect(filtered).toMatchObject({ ended: "refused" });
  expect(filtered).not.toHaveProperty("failure");
  expect(read(error("ContextOverflowError", { message: "too long" })).ended).toBe("length");
});

test("an API error is a failure with its status, and no end", () => {
  const reading = read(error("APIError", { message: "bad key", statusCode: 401, isRetryable: false }));
  expect(reading.failure).toEqual({ message: "bad key", status: 401 });
  expect(reading).not.toHaveProperty("ended");
});

test("a tool that does not exist, one that fails and a command that exits with 3 have failed", () => {
  const { toolCalls } = read(
    tool("invalid", { tool: "NoSuchTool", error: "unavailable" }, { output: "The arguments are invalid" }),
    tool("read", { filePath: "/x" }, { status: "error", error: "File not found" }),
    tool("bash", { command: "exit 3" }, { output: "", metadata: { exit: 3 } }),
    tool("bash", { command: "true" }, { output: "", metadata: { exit: 0 } }),
  );
  expect(toolCalls.map(({ name, failed }) => [name, failed])).toEqual([
    ["NoSuchTool", true],
    ["read", true],
    ["bash", true],
    ["bash", false],
  ]);
  expect(toolCalls[1]?.output).toBe("File not found");
});

test("without ripgrep nothing can be said about the skill: a failure, whatever the model made of it", () => {
  const reading = read(
    tool("skill", { name: "greet" }, { status: "error", error: "ripgrep execution failed" }),
    say("I could not load it."),
    finish("stop"),
  );
  expect(reading.failure?.message).toContain("ripgrep");
  expect(reading).not.toHaveProperty("ended");
  expect(reading.loaded).toEqual([]);
});

test("no line makes it throw", () => {
  const types = fc.constantFrom("text", "tool_use", "step_finish", "step_start", "error", "other");
  const event = fc.record({ type: types, part: fc.jsonValue(), error: fc.jsonValue() });
  const line = fc.oneof(
    fc.string(),
    event.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const reader = opencodeReader();
      for (const text of lines) reader.line(text);
      reader.read();
    }),
  );
});
