import type { LanguageModelV2, LanguageModelV3 } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../core/ports/model.ts";
import { boundUsage } from "../../core/work/price.ts";
import { aiSdkModel } from "./ai-sdk.ts";
import { resolveModel } from "./providers.ts";
import { chatCompletion, sendJson, serve } from "../../../test/support/serve-handler.ts";

const request: ModelRequest = {
  model: "local/m",
  system: "Be brief.",
  messages: [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "2+2?" },
  ],
  maxTokens: 50,
};

const call = (signal = new AbortController().signal) => ({ key: "k".repeat(64), signal });

function connect(baseURL: string, timeoutMs?: number) {
  const settings = { providers: { local: { baseURL } }, env: {} };
  return resolveModel("local/m", { ...settings, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

async function replyTo(body: unknown) {
  await using server = await serve(sendJson(200, body));
  return await (await connect(server.url)).generate(request, call());
}

async function failureOf(promise: Promise<unknown>) {
  return promise.then(
    (value) => expect.unreachable(`a reply: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

test("the request is sent as it is, with its key as Idempotency-Key", async () => {
  await using server = await serve(sendJson(200, chatCompletion("4")));
  const model = await connect(server.url);
  const reply = await model.generate({ ...request, temperature: 0.5 }, call());
  expect(reply).toEqual({
    text: "4",
    finish: "stop",
    host: "127.0.0.1",
    usage: { inputTokens: 11, outputTokens: 7 },
    model: "m",
  });
  expect(server.seen).toHaveLength(1);
  expect(server.seen[0]).toMatchObject({
    path: "/v1/chat/completions",
    headers: { "idempotency-key": "k".repeat(64) },
    body: {
      model: "m",
      max_tokens: 50,
      temperature: 0.5,
      messages: [{ role: "system", content: "Be brief." }, ...request.messages],
    },
  });
});

test("no temperature and no system prompt are sent unless given", async () => {
  await using server = await serve(sendJson(200, chatCompletion("4")));
  const { system: _, ...bare } = request;
  await (await connect(server.url)).generate(bare, call());
  expect(server.seen[0]?.body).not.toHaveProperty("temperature");
  expect(server.seen[0]?.body["messages"]).toEqual(request.messages);
});

test.each([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["tool_calls", "other"],
  ["anything else", "other"],
])("the finish reason %s is %s", async (raw, finish) => {
  expect((await replyTo(chatCompletion("x", {}, raw))).finish).toBe(finish);
});

test("an empty text is a reply: it was paid", async () => {
  expect(await replyTo(chatCompletion("", {}, "length"))).toMatchObject({ text: "", finish: "length" });
});

test("reasoning is no part of the text", async () => {
  const message = { role: "assistant", content: "4", reasoning_content: "2 and 2 is 4" };
  const reply = await replyTo(
    chatCompletion("", { choices: [{ index: 0, message, finish_reason: "stop" }] }),
  );
  expect(reply.text).toBe("4");
});

test("cached input is reported", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 64 },
  };
  expect((await replyTo(chatCompletion("4", { usage }))).usage).toEqual({
    inputTokens: 100,
    outputTokens: 7,
    cachedInputTokens: 64,
  });
});

test.each([
  [undefined],
  [null],
  [{}],
  [{ total_tokens: 3 }],
  [{ prompt_tokens: 1e300, completion_tokens: -5 }],
])("a reply that counts nothing (%j) is booked at its upper bound, and marked", async (usage) => {
  expect((await replyTo(chatCompletion("4", { usage }))).usage).toEqual({
    ...boundUsage(request),
    estimated: true,
  });
});

test("no reason for the end is news only from a server that gives reasons elsewhere", async () => {
  const bodies = [null, "stop", null].map((reason) =>
    chatCompletion("4", {
      choices: [{ index: 0, message: { role: "assistant", content: "4" }, finish_reason: reason }],
    }),
  );
  await using server = await serve((response) => sendJson(200, bodies.shift())(response));
  const model = await connect(server.url);
  const finishes: string[] = [];
  for (const _ of [1, 2, 3]) finishes.push((await model.generate(request, call())).finish);
  expect(finishes).toEqual(["other", "stop", "none"]);
});

test("a provider that stops with an error has not answered", async () => {
  await using server = await serve(sendJson(200, chatCompletion("half", {}, "error")));
  const error = await failureOf((await connect(server.url)).generate(request, call()));
  expect(error).toMatchObject({ name: "InfraError", class: "transport", billed: "unknown" });
});

test("an answer cut at any byte is never a reply", async () => {
  const whole = JSON.stringify(chatCompletion("a text of some length, with ünïcode 日本"));
  const bytes = Buffer.from(whole);
  const cuts = [0, 1, 2, ...Array.from({ length: 40 }, (_, i) => Math.floor((i * bytes.length) / 40))];
  for (const [nth, cut] of [...cuts, bytes.length - 1].entries()) {
    const framing = (["content-length", "chunked", "close"] as const)[nth % 3];
    await using server = await serve((response) => {
      response.sendDate = false;
      if (framing === "content-length") response.setHeader("content-length", bytes.length);
      if (framing === "close") response.setHeader("connection", "close");
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      if (framing === "close") response.end(bytes.subarray(0, cut));
      else response.write(bytes.subarray(0, cut), () => response.destroy());
      if (cut === 0 && framing !== "close") response.destroy();
    });
    const error = await failureOf((await connect(server.url)).generate(request, call()));
    expect(error, `cut at ${cut}, ${framing}`).toMatchObject({
      name: "InfraError",
      class: "transport",
      billed: "unknown",
    });
  }
});

test("an answer that is no JSON, or JSON of another kind, is not a reply", async () => {
  const passing = { class: "transport", billed: "unknown", fault: undefined };
  const foreign = { class: "refused", billed: "no" };
  const bodies: readonly (readonly [string, object])[] = [
    ["", passing],
    ['{"choices":[]}', passing],
    ['{"choices":null}', passing],
    ['{"choices":[{"ind', passing],
    ["<html>Welcome</html>", { ...foreign, fault: "web-page" }],
    ["[]", { ...foreign, fault: "not-an-openai-server" }],
    ["null", { ...foreign, fault: "not-an-openai-server" }],
  ];
  for (const [body, expected] of bodies) {
    await using server = await serve((response) => void response.end(body));
    const error = await failureOf((await connect(server.url)).generate(request, call()));
    expect(error, body).toMatchObject({ name: "InfraError", ...expected });
  }
});

test("a call that takes too long is a transport error that may have been paid", async () => {
  await using server = await serve(() => {});
  const error = await failureOf((await connect(server.url, 50)).generate(request, call()));
  expect(error).toMatchObject({ name: "InfraError", class: "transport", billed: "unknown" });
  expect(String(error)).toContain("No answer within 0.05 s");
});

test("an answer that trickles past the deadline is given up too", async () => {
  await using server = await serve((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"choices":');
  });
  const error = await failureOf((await connect(server.url, 50)).generate(request, call()));
  expect(error).toMatchObject({ class: "transport", billed: "unknown" });
});

test("an abort rejects with the caller's reason and closes the connection", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  await using server = await serve((response) => {
    response.on("close", closed.resolve);
    controller.abort(reason);
  });
  const model = await connect(server.url);
  expect(await failureOf(model.generate(request, call(controller.signal)))).toBe(reason);
  await closed.promise;
});

test("an aborted signal sends nothing", async () => {
  await using server = await serve(sendJson(200, chatCompletion("4")));
  const model = await connect(server.url);
  await expect(model.generate(request, call(AbortSignal.abort("no")))).rejects.toBe("no");
  expect(server.seen).toHaveLength(0);
});

test("a prompt that is too long for the model is neither a reply nor the end of the run", async () => {
  const error = {
    message: "This model's maximum context length is 8192 tokens.",
    code: "context_length_exceeded",
  };
  await using server = await serve(sendJson(400, { error }));
  await expect((await connect(server.url)).generate(request, call())).rejects.toMatchObject({
    class: "prompt-refused",
    billed: "no",
  });
});

test("a model object that ignores the signal is given up all the same", async () => {
  const deaf: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "p",
    modelId: "m",
    supportedUrls: {},
    doGenerate: () => new Promise(() => {}),
    doStream: () => new Promise(() => {}),
  };
  const model = aiSdkModel(deaf, { id: "p/m", timeoutMs: 20 });
  expect(await failureOf(model.generate(request, call()))).toMatchObject({ class: "transport" });
  const controller = new AbortController();
  const pending = failureOf(aiSdkModel(deaf, { id: "p/m" }).generate(request, call(controller.signal)));
  controller.abort("stop");
  expect(await pending).toBe("stop");
});

test("model objects of the second and third specification work", async () => {
  const rest = {
    provider: "p",
    modelId: "m",
    supportedUrls: {},
    doStream: () => new Promise<never>(() => {}),
  };
  const seen: unknown[] = [];
  const second: LanguageModelV2 = {
    ...rest,
    specificationVersion: "v2",
    doGenerate: async (options) => {
      seen.push(options.prompt, options.headers);
      return {
        content: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "4" },
          { type: "text", text: "!" },
        ],
        finishReason: "stop",
        usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12, cachedInputTokens: 5 },
        warnings: [],
      };
    },
  };
  expect(await aiSdkModel(second, { id: "p/m" }).generate(request, call())).toEqual({
    text: "4!",
    finish: "stop",
    usage: { inputTokens: 9, outputTokens: 3, cachedInputTokens: 5 },
  });
  expect(seen).toEqual([
    [
      { role: "system", content: "Be brief." },
      ...request.messages.map(({ role, content }) => ({ role, content: [{ type: "text", text: content }] })),
    ],
    { "Idempotency-Key": "k".repeat(64) },
  ]);
  const third: LanguageModelV3 = {
    ...rest,
    specificationVersion: "v3",
    doGenerate: async () => ({
      content: [],
      finishReason: { unified: "length", raw: "length" },
      usage: {
        inputTokens: { total: 9, noCache: 2, cacheRead: 4, cacheWrite: 3 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    }),
  };
  expect(await aiSdkModel(third, { id: "p/m" }).generate(request, call())).toEqual({
    text: "",
    finish: "length",
    usage: { inputTokens: 9, outputTokens: 0, cachedInputTokens: 4, cacheWriteInputTokens: 3 },
  });
});

test("an object of another specification is refused with the way out", () => {
  const old = { specificationVersion: "v1" } as unknown as LanguageModelV3;
  expect(() => aiSdkModel(old, { id: "p/m" })).toThrow(expect.objectContaining({ code: "config-invalid" }));
});

const withFormat: ModelRequest = {
  ...request,
  body: {
    seed: 7,
    grammar: 'root ::= "Yes"',
    response_format: { type: "json_schema", json_schema: { name: "x" } },
  },
};

test("further fields stand in the body as they are", async () => {
  await using server = await serve(sendJson(200, chatCompletion("4")));
  await (await connect(server.url)).generate(withFormat, call());
  expect(server.seen[0]?.body).toMatchObject({ ...withFormat.body, max_tokens: 50, model: "m" });
});

test("a server that refuses response_format is asked without it from then on; what else is wrong stays an error", async () => {
  await using server = await serve((response) => {
    const refuses = server.seen.at(-1)?.body["response_format"] !== undefined;
    sendJson(
      refuses ? 400 : 200,
      refuses ? { error: { message: "unknown field" } } : chatCompletion("4"),
    )(response);
  });
  const model = await connect(server.url);
  expect(await failureOf(model.generate(withFormat, call()))).toMatchObject({
    class: "transport",
    billed: "no",
    retryable: true,
  });
  for (const _ of [1, 2]) expect(await model.generate(withFormat, call())).toMatchObject({ text: "4" });
  expect(server.seen.map(({ body }) => [body["seed"], "response_format" in body])).toEqual([
    [7, true],
    [7, false],
    [7, false],
  ]);

  await using other = await serve(sendJson(400, { error: { message: "no such model" } }));
  const wrong = await connect(other.url);
  await failureOf(wrong.generate(withFormat, call()));
  expect(await failureOf(wrong.generate(withFormat, call()))).toMatchObject({
    class: "refused",
    retryable: false,
  });
});

test("a prompt that is too long is not taken for a refused response_format", async () => {
  await using server = await serve(
    sendJson(400, {
      error: { message: "the request exceeds the available context size", type: "exceed_context_size_error" },
    }),
  );
  const model = await connect(server.url);
  expect(await failureOf(model.generate(withFormat, call()))).toMatchObject({ class: "prompt-refused" });
});

test("a deadline beyond what a timer holds is no deadline of a millisecond", async () => {
  await using server = await serve((response) => {
    setTimeout(() => sendJson(200, chatCompletion("4"))(response), 50);
  });
  const reply = (await connect(server.url)).generate(request, { ...call(), deadlineMs: () => 3e9 });
  expect(await reply).toMatchObject({ text: "4" });
});
