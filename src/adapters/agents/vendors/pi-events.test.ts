import fc from "fast-check";
import { expect, test } from "vitest";
import { piReader } from "./pi-events.ts";

const skills = [{ name: "greet", files: { "SKILL.md": "" }, executable: [] }];

const read = (...events: readonly object[]) => {
  const reader = piReader(skills);
  for (const event of events) reader.line(JSON.stringify(event));
  return reader.read();
};

const start = { type: "agent_start" };
const end = { type: "agent_end", messages: [] };
const answer = (stopReason: string, text = "", more: object = {}) => ({
  type: "message_end",
  message: {
    role: "assistant",
    api: "openai-completions",
    content: [{ type: "text", text }],
    stopReason,
    ...more,
  },
});
const failed = (errorMessage: string, api = "openai-completions") =>
  answer("error", "partial text", { errorMessage, api });
const toolStart = (toolCallId: string, toolName: string, args: object) => ({
  type: "tool_execution_start",
  toolCallId,
  toolName,
  args,
});
const toolEnd = (toolCallId: string, text: string, isError = false) => ({
  type: "tool_execution_end",
  toolCallId,
  result: { content: [{ type: "text", text }] },
  isError,
});

test("a run that reads a skill, writes a file and ends is read whole", () => {
  const reading = read(
    start,
    { type: "message_end", message: { role: "user", content: [{ type: "text", text: "Write it." }] } },
    answer("toolUse", "I read."),
    toolStart("1", "read", { path: "/h/.pi/agent/skills/greet/SKILL.md" }),
    toolEnd("1", "---\nname: greet\n---"),
    answer("toolUse"),
    toolStart("2", "write", { path: "a.txt", content: "hi" }),
    toolEnd("2", "Successfully wrote 2 bytes"),
    answer("stop", "Done."),
    end,
  );
  expect(reading).toMatchObject({ text: "Done.", loaded: ["greet"], ended: "done" });
  expect(reading.toolCalls.map(({ name, output }) => [name, output])).toEqual([
    ["read", "---\nname: greet\n---"],
    ["write", "Successfully wrote 2 bytes"],
  ]);
});

test("a skill whose file could not be read is not loaded", () => {
  const { loaded, toolCalls } = read(
    toolStart("1", "read", { path: "/h/skills/greet/SKILL.md" }),
    toolEnd("1", "no such file", true),
  );
  expect(loaded).toEqual([]);
  expect(toolCalls[0]?.failed).toBe(true);
});

test("a stream without the agent's end has no end", () => {
  expect(read(start, answer("stop", "Done."))).not.toHaveProperty("ended");
});

test("a cut answer is an end of the task", () => {
  expect(read(start, answer("length", "half an"), end)).toMatchObject({ ended: "length", text: "half an" });
});

test("an error is a failure with the status that its message begins with, and no words of the model", () => {
  const reading = read(start, failed("401 The key is not valid."), end);
  expect(reading).toMatchObject({ text: "", failure: { message: "401 The key is not valid.", status: 401 } });
  expect(reading).not.toHaveProperty("ended");
  expect(read(start, failed('429: {"type":"rate_limit"}'), end).failure?.status).toBe(429);
  expect(read(start, failed("terminated"), end).failure).toEqual({ message: "terminated" });
});

test("a retry that is under way is no failure, and one that worked is an end", () => {
  const retry = { type: "auto_retry_start", attempt: 1 };
  expect(read(start, failed("terminated"), end, retry)).not.toHaveProperty("failure");
  expect(read(start, failed("x"), { ...end, willRetry: true })).not.toHaveProperty("failure");
  const recovered = read(start, failed("terminated"), end, retry, start, answer("stop", "Done."), end);
  expect(recovered).toMatchObject({ ended: "done", text: "Done." });
  expect(recovered).not.toHaveProperty("failure");
});

test("the content filter and a refusal are ends of the task", () => {
  expect(read(start, failed("Provider finish_reason: content_filter"), end).ended).toBe("refused");
  expect(read(start, failed("An unknown error occurred", "anthropic-messages"), end).ended).toBe("refused");
  expect(read(start, failed("An unknown error occurred", "openai-responses"), end)).toHaveProperty("failure");
});

test("no line makes it throw", () => {
  const types = fc.constantFrom("message_end", "tool_execution_start", "tool_execution_end", "agent_end");
  const event = fc.record({
    type: types,
    message: fc.jsonValue(),
    args: fc.jsonValue(),
    result: fc.jsonValue(),
  });
  const line = fc.oneof(
    fc.string(),
    event.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const reader = piReader(skills);
      for (const text of lines) reader.line(text);
      reader.read();
    }),
  );
});
