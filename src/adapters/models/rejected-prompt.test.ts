import { expect, test } from "vitest";
import { classifyError } from "./classify.ts";
import { readFailure } from "./failure.ts";
import { readRejection } from "./rejected-prompt.ts";

const rejectionOf = (error: unknown) => readRejection(readFailure(error));

const answered = (message: string, code: string | null = null, statusCode = 400) => ({
  statusCode,
  message,
  responseBody: JSON.stringify({ error: { message, code } }),
});

test.each([
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion).",
  "prompt is too long: 210000 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length",
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
  "the request exceeds the available context size. try increasing the context size",
  "Please reduce the length of the messages or completion.",
])("too long: %s", (message) => {
  expect(rejectionOf(answered(message))).toBe("too-long");
  // neither a reply, nor tried again, nor the end of the run
  expect(classifyError(answered(message))).toMatchObject({
    class: "prompt-refused",
    billed: "no",
    retryable: false,
    stopsRun: false,
  });
});

test.each(["content_filter", "data_inspection_failed"])("stopped by a filter: %s", (code) => {
  expect(rejectionOf(answered("The response was filtered", code))).toBe("filtered");
});

test.each([
  "This model's maximum context length is 4096 tokens. However, you requested 8292 tokens (100 in the messages, 8192 in the completion).",
  "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens and your request has 100 input tokens",
  "max_tokens is too large: 99999. This model supports at most 16384 completion tokens",
  "input length and `max_tokens` exceed context limit: 100 + 300000 > 200000",
])("a setting that no prompt can mend stays an error: %s", (message) => {
  expect(rejectionOf(answered(message))).toBeUndefined();
});

test("other statuses and other requests stay errors", () => {
  expect(rejectionOf(answered("prompt is too long", null, 500))).toBeUndefined();
  expect(rejectionOf(answered("Unsupported parameter"))).toBeUndefined();
  expect(rejectionOf(new Error("prompt is too long"))).toBeUndefined();
});
