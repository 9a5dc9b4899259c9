import fc from "fast-check";
import { expect, test } from "vitest";
import { codexReader } from "./codex-events.ts";

const skill = { name: "greet-style", files: { "SKILL.md": "" }, executable: [] };

const read = (...events: readonly object[]) => {
  const reader = codexReader([skill]);
  for (const event of events) reader.line(JSON.stringify(event));
  return reader.read();
};

const started = (item: object) => ({ type: "item.started", item });
const completed = (item: object) => ({ type: "item.completed", item });
const command = (id: string, text: string, fields: object) => ({
  id,
  type: "command_execution",
  command: text,
  aggregated_output: "",
  exit_code: 0,
  status: "completed",
  ...fields,
});
const cat = "/bin/bash -lc \"cat '/home/dev/.codex/skills/greet-style/SKILL.md'\"";

test("a skill is loaded by the command that reads its file", () => {
  const reading = read(
    { type: "thread.started", thread_id: "1" },
    completed({ id: "item_0", type: "error", message: "Model metadata for `m` not found." }),
    started(command("item_1", cat, { exit_code: null, status: "in_progress" })),
    completed(command("item_1", cat, { aggregated_output: "# Greeting" })),
    completed({ id: "item_2", type: "agent_message", text: "done" }),
    { type: "turn.completed", usage: { input_tokens: 1 } },
  );
  expect(reading.loaded).toEqual(["greet-style"]);
  expect(reading.toolCalls).toEqual([
    { name: "shell", input: { command: cat }, output: "# Greeting", failed: false },
  ]);
  expect(reading.text).toBe("done");
  expect(reading.ended).toBe("done");
  expect(reading.failure).toBeUndefined();
});

test("a command that could not read the file loads nothing", () => {
  const reading = read(
    started(command("item_1", cat, { exit_code: null, status: "in_progress" })),
    completed(command("item_1", cat, { exit_code: 1, status: "failed" })),
  );
  expect(reading.loaded).toEqual([]);
  expect(reading.toolCalls[0]?.failed).toBe(true);
});

test("a patch is a tool call with the files it changed", () => {
  const changes = [{ path: "/w/a.txt", kind: "add" }];
  const reading = read(completed({ id: "i", type: "file_change", changes, status: "completed" }));
  expect(reading.toolCalls).toEqual([
    { name: "apply_patch", input: { changes }, output: "completed", failed: false },
  ]);
});

test("reconnecting is not yet a failure", () => {
  const reading = read(
    { type: "error", message: "Reconnecting... 1/1 (stream disconnected before completion)" },
    completed({ id: "i", type: "agent_message", text: "recovered" }),
    { type: "turn.completed" },
  );
  expect(reading.failure).toBeUndefined();
  expect(reading.ended).toBe("done");
});

test.each([
  [
    "unexpected status 401 Unauthorized: no, url: http://x",
    { message: "unexpected status 401 Unauthorized: no, url: http://x", status: 401 },
  ],
  [
    "exceeded retry limit, last status: 429 Too Many Requests",
    { message: "exceeded retry limit, last status: 429 Too Many Requests", status: 429 },
  ],
  [
    '{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}',
    { message: "bad", status: 400 },
  ],
  ["stream disconnected before completion: x", { message: "stream disconnected before completion: x" }],
])("a failed turn is a failure: %s", (message, failure) => {
  const reading = read({ type: "turn.failed", error: { message } });
  expect(reading.failure).toEqual(failure);
  expect(reading.ended).toBeUndefined();
});

test.each([
  ["Incomplete response returned, reason: max_output_tokens", "length"],
  ["stream disconnected before completion: Incomplete response returned, reason: content_filter", "refused"],
])("%s is an outcome", (message, ended) => {
  expect(read({ type: "turn.failed", error: { message } }).ended).toBe(ended);
});

test("a filtered answer stays refused when asking again is not allowed", () => {
  const reading = read(
    { type: "error", message: "Reconnecting... 1/1 (Incomplete response returned, reason: content_filter)" },
    { type: "turn.failed", error: { message: "The limit of 1 calls for this task is reached." } },
  );
  expect(reading.ended).toBe("refused");
  expect(reading.failure).toBeUndefined();
});

test("no line makes it throw", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (lines) => {
      const reader = codexReader([skill]);
      for (const line of lines) reader.line(line);
      for (const type of ["item.started", "item.completed", "turn.failed"]) {
        for (const line of lines) reader.line(`{"type":"${type}","item":${line},"error":${line}}`);
      }
      reader.read();
    }),
  );
});
