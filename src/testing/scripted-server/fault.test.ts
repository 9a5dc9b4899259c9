import { expect, test } from "vitest";
import { z } from "zod";
import { WhetstoneError } from "../../core/errors.ts";
import type { Fault, FaultPlan } from "./fault.ts";
import { startScriptedServer } from "./start-scripted-server.ts";

const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"] as const;
const text = JSON.stringify({ reasoning: "because", edits: [{ op: "append", content: "Be kind." }] });
const world = { reply: () => ({ text }) };

const start = (faults?: FaultPlan) =>
  startScriptedServer({ seed: 3, world, ...(faults === undefined ? {} : { faults }) });

const post = (url: string, { key = "a", stream = false, signal }: PostOptions = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "idempotency-key": key },
    body: JSON.stringify({
      model: "m",
      max_tokens: 1000,
      stream,
      messages: [{ role: "user", content: "hi" }],
      input: "hi",
    }),
    ...(signal === undefined ? {} : { signal }),
  });

interface PostOptions {
  readonly key?: string;
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

test.each([
  ["429", 429, "1", "requests", "rate_limit_exceeded", "rate_limit_error"],
  ["429-no-header", 429, null, "requests", "rate_limit_exceeded", "rate_limit_error"],
  ["429-spend-limit", 429, null, "insufficient_quota", "insufficient_quota", "enforced_spend_limit_reached"],
  ["529", 529, null, "overloaded_error", null, "overloaded_error"],
  ["500", 500, null, "server_error", null, "api_error"],
  ["503", 503, null, "server_error", null, "api_error"],
  ["400", 400, null, "invalid_request_error", null, "invalid_request_error"],
  ["401", 401, null, "invalid_request_error", "invalid_api_key", "authentication_error"],
  ["404", 404, null, "invalid_request_error", "model_not_found", "not_found_error"],
] as const)(
  "%s comes in each provider's own shape",
  async (fault, status, retryAfter, type, code, anthropic) => {
    await using server = await start(() => fault);
    for (const path of paths) {
      for (const stream of [false, true]) {
        const response = await post(`${server.url}${path}`, { stream });
        expect(response.status).toBe(status);
        expect(response.headers.get("retry-after")).toBe(retryAfter);
        const message = expect.stringMatching(/\w/);
        expect(await response.json()).toEqual(
          path === "/v1/messages"
            ? {
                type: "error",
                error: { type: anthropic, message },
                request_id: expect.stringMatching(/^req_/),
              }
            : { error: { message, type, param: null, code } },
        );
      }
    }
    expect(server.calls.every((call) => call.fault === fault && call.answer === undefined)).toBe(true);
  },
);

test("Retry-After can be chosen", async () => {
  await using server = await start(() => ({ kind: "429", retryAfterSeconds: 17 }));
  expect((await post(`${server.url}${paths[0]}`)).headers.get("retry-after")).toBe("17");
});

test("reset ends the connection before the first byte", async () => {
  await using server = await start(() => "reset");
  for (const path of paths) {
    await expect(post(`${server.url}${path}`)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  }
});

test.each([false, true])(
  "garbled is a body that ends well and holds no answer (stream: %s)",
  async (stream) => {
    await using server = await start(() => "garbled");
    for (const path of paths) {
      const body = await (await post(`${server.url}${path}`, { stream })).text();
      expect(body.startsWith("data: ")).toBe(stream);
      expect(() => JSON.parse(body.replace("data: ", ""))).toThrow(SyntaxError);
    }
  },
);

test.each([false, true])("cut leaves every client with half a body (stream: %s)", async (stream) => {
  await using server = await start();
  for (const path of paths) {
    server.faults = undefined;
    const whole = Buffer.from(
      await (await post(`${server.url}${path}`, { key: path, stream })).arrayBuffer(),
    );
    for (const fault of ["cut", 0, 1, 100, whole.length - 1, whole.length + 50] as const) {
      server.faults = () => (fault === "cut" ? fault : { kind: "cut", atByte: fault });
      const { bytes, failed } = await readUntilCut(await post(`${server.url}${path}`, { key: path, stream }));
      const expected = fault === "cut" ? Math.floor(whole.length / 2) : Math.min(fault, whole.length - 1);
      expect([bytes, failed]).toEqual([expected, true]);
    }
  }
});

async function readUntilCut(response: Response): Promise<{ bytes: number; failed: boolean }> {
  expect(response.status).toBe(200);
  let bytes = 0;
  try {
    const reader = response.body!.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) bytes += read.value.length;
  } catch {
    return { bytes, failed: true };
  }
  return { bytes, failed: false };
}

test("timeout never answers and lets go when the client does", async () => {
  await using server = await start(() => "timeout");
  await expect(post(`${server.url}${paths[0]}`, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
    name: "TimeoutError",
  });
  await expect.poll(() => server.inFlight()).toBe(0);
  expect(server.calls[0]).toMatchObject({ fault: "timeout", answer: undefined });
});

const chatBody = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }), finish_reason: z.string() })]),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }),
});

test("unusable replies are complete answers with usage", async () => {
  await using server = await start();
  const ask = async (fault: Fault) => {
    server.faults = () => fault;
    const body = chatBody.parse(await (await post(`${server.url}${paths[0]}`)).json());
    const { message, finish_reason: finish } = body.choices[0];
    expect(body.usage).toEqual({
      prompt_tokens: 1,
      completion_tokens: Math.ceil(message.content.length / 4),
    });
    return { content: message.content, finish };
  };
  const malformed = await ask("malformed-json");
  expect(malformed.finish).toBe("stop");
  expect(() => JSON.parse(malformed.content)).toThrow(SyntaxError);
  const truncated = await ask("truncated");
  expect(truncated.finish).toBe("length");
  expect(text.startsWith(truncated.content) && truncated.content.length < text.length).toBe(true);
  expect(await ask("empty")).toEqual({ content: "", finish: "stop" });
  expect(await ask("error-prose")).toMatchObject({
    content: expect.stringContaining("API Error"),
    finish: "stop",
  });
});

test("a rate of faults is met over many keys, each kind in its turn", async () => {
  await using server = await start({ rate: 0.3, kinds: ["500", "503", "empty"] });
  await Promise.all(
    Array.from({ length: 2000 }, async (_, index) =>
      (await post(`${server.url}${paths[0]}`, { key: `unit-${index}` })).text(),
    ),
  );
  for (const kind of ["500", "503", "empty"] as const) {
    // 5 standard deviations around 200 of 2000
    expect(Math.abs(server.calls.filter((call) => call.fault === kind).length - 200)).toBeLessThan(67);
  }
});

test("an outage fails everything until it ends", async () => {
  await using server = await start();
  const status = async () => (await post(`${server.url}${paths[0]}`)).status;
  expect(await status()).toBe(200);
  server.setOutage("529");
  expect([await status(), await status()]).toEqual([529, 529]);
  server.setOutage(undefined);
  expect(await status()).toBe(200);
});

test("a plan that cannot do what it says is refused", async () => {
  await expect(start({ rate: 2, kinds: ["500"] })).rejects.toThrow(WhetstoneError);
  await using server = await start();
  expect(() => {
    server.faults = { rate: 0.5, kinds: [] };
  }).toThrow("no kinds");
});
