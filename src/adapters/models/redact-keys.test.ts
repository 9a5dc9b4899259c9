import { expect, test } from "vitest";
import { redactKeys } from "./redact-keys.ts";

test.each([
  ["Incorrect API key provided: sk-ant-api03-AbC_dEf-123.", "sk-ant"],
  ["key sk-proj-****************wxyz is wrong", "wxyz"],
  ["Authorization: Bearer eyJhbGciOi.JIUzI1NiJ9.x", "eyJ"],
  ["GET https://host/v1?key=AIzaSyA1234567890&x=1 failed", "AIza"],
  ["GET https://host/v1?x=1&api_key=0123456789abcdef failed", "0123456789abcdef"],
  ["https://user:hunter22@host/v1 refused", "hunter22"],
  ['{"x-api-key":"0a1b2c3d4e5f"}', "0a1b2c"],
  ["token gsk_0a1b2c3d4e5f6a", "gsk_0a"],
])("%s", (text, key) => {
  expect(redactKeys(text)).not.toContain(key);
});

test("known values go, whatever they look like", () => {
  expect(redactKeys("the key 0f0f0f0f is bad", ["0f0f0f0f"])).toBe("the key [redacted] is bad");
});

test("ordinary sentences stay", () => {
  const text =
    "HTTP 429: Rate limit reached for gpt-5-nano in organization org: 500 tokens per min. Skip the task.";
  expect(redactKeys(text, ["", "a"])).toBe(text);
});
