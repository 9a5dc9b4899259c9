import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claudeReader } from "./claude-events.ts";

const read = (...events: readonly object[]) => {
  const reader = claudeReader();
  for (const event of events) reader.line(JSON.stringify(event));
  return reader.read();
};

const init = { type: "system", subtype: "init", skills: ["greet-style", "other"], tools: ["Bash"] };
const answer = (...content: readonly object[]) => ({
  type: "assistant",
  message: { role: "assistant", model: "m", content, stop_reason: null },
});
const toolUse = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const toolResult = (id: string, content: unknown, more: object = {}, part: object = {}) => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...part }] },
  ...more,
});
const syntheticUser = (text: string) => ({
  type: "user",
  isSynthetic: true,
  message: { role: "user", content: [{ type: "text", text }] },
});
const apiError = (text: string) => ({
  type: "assistant",
  is_api_error_message: true,
  message: { role: "assistant", model: "<synthetic>", content: [{ type: "text", text }] },
});
const result = (fields: object) => ({ type: "result", subtype: "success", is_error: false, ...fields });

describe("a run with a skill", () => {
  const reading = read(
    init,
    answer(toolUse("t1", "Skill", { skill: "greet-style" })),
    toolResult("t1", "Launching skill: greet-style", {
      tool_use_result: { success: true, commandName: "greet-style" },
    }),
    syntheticUser("Base directory for this skill: /x\n\n# Greeting"),
    answer({ type: "text", text: "Now." }, toolUse("t2", "Write", { file_path: "a", content: "b" })),
    toolResult("t2", [{ type: "text", text: "created" }], {}, { is_error: false }),
    answer({ type: "text", text: "Finished." }),
    result({ result: "Finished." }),
  );

  test("was offered and loaded", () => {
    expect(reading.offered).toEqual(["greet-style", "other"]);
    expect(reading.loaded).toEqual(["greet-style"]);
  });

  test("has its tool calls with their results, its last text and its end", () => {
    expect(reading.toolCalls).toEqual([
      {
        name: "Skill",
        input: { skill: "greet-style" },
        output: "Launching skill: greet-style",
        failed: false,
      },
      { name: "Write", input: { file_path: "a", content: "b" }, output: "created", failed: false },
    ]);
    expect(reading.text).toBe("Finished.");
    expect(reading.ended).toBe("done");
  });
});

test("a skill call that failed is no load", () => {
  const reading = read(
    answer(toolUse("t1", "Skill", { skill: "nothing" })),
    toolResult("t1", "Unknown skill", {}, { is_error: true }),
  );
  expect(reading.loaded).toEqual([]);
  expect(reading.toolCalls[0]?.failed).toBe(true);
});

test("no end before the result event", () => {
  expect(read(init, answer({ type: "text", text: "half" })).ended).toBeUndefined();
});

test("an error is a failure although its subtype says success, and its prose is not the agent's text", () => {
  const reading = read(
    { type: "system", subtype: "api_retry", attempt: 1, error_status: 529 },
    apiError("API Error: 529 Overloaded"),
    result({ is_error: true, api_error_status: 529, result: "API Error: 529 Overloaded" }),
  );
  expect(reading.failure).toEqual({ message: "API Error: 529 Overloaded", status: 529 });
  expect(reading.text).toBe("");
  expect(reading.ended).toBeUndefined();
});

test.each([
  [
    "turns",
    result({ subtype: "error_max_turns", is_error: true, errors: ["Reached maximum number of turns (3)"] }),
  ],
  ["length", result({ is_error: true, api_error: "max_output_tokens" })],
  ["refused", result({ is_error: true, stop_reason: "refusal" })],
] as const)("%s is an outcome, not a failure", (ended, event) => {
  const reading = read(init, event);
  expect(reading.ended).toBe(ended);
  expect(reading.failure).toBeUndefined();
});

test("a refused request for the rest of a cut answer leaves it cut", () => {
  const reading = read(
    answer({ type: "text", text: "half an" }),
    syntheticUser("Output token limit hit. Resume directly."),
    result({ is_error: true, api_error_status: 400, result: "API Error: 400" }),
  );
  expect(reading.ended).toBe("length");
  expect(reading.text).toBe("half an");
});

test("an answer that a filter stopped is refused until another one comes", () => {
  const stopped = [
    answer({ type: "text", text: "I" }),
    { ...syntheticUser("Your response above was stopped."), refused_message_id: "msg_1" },
  ];
  expect(read(...stopped).ended).toBe("refused");
  expect(read(...stopped, answer({ type: "text", text: "I can" })).ended).toBeUndefined();
});

test("no line makes it throw", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (lines) => {
      const reader = claudeReader();
      for (const line of lines) reader.line(line);
      for (const type of ["system", "assistant", "user", "result"]) {
        for (const line of lines) reader.line(`{"type":"${type}","message":${line},"content":[${line}]}`);
      }
      reader.read();
    }),
  );
});
