import { type ServerResponse, createServer, request } from "node:http";
import { connect } from "node:net";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { WhetstoneError } from "../../core/errors.ts";
import type { Meter } from "../../core/ports/agent.ts";
import { type Cost, noCost } from "../../core/cost.ts";
import { createSpend } from "../../core/work/spend.ts";
import { createPatientFetch } from "../models/patient-fetch.ts";
import { chatCompletion, sendJson, serve } from "../../../test/support/serve-handler.ts";
import { hostileRequests } from "../../../test/support/hostile-requests.ts";
import { type ModelProxy, type ModelProxyOptions, modelProxy } from "./model-proxy.ts";

const fetch = createPatientFetch({});
const price = { input: 3, output: 15 };
const realKey = "sk-real-0123456789";

function countingMeter() {
  const booked: (Cost | "worst")[] = [];
  const worst: Cost[] = [];
  const meter: Meter = {
    begin: async (cost) => {
      worst.push(cost);
      return { end: async (actual) => void booked.push(actual) };
    },
  };
  return { meter, booked, worst };
}

const open = (baseURL: string, change: Partial<ModelProxyOptions> = {}): Promise<ModelProxy> =>
  modelProxy({
    baseURL,
    headers: async () => ({ authorization: `Bearer ${realKey}` }),
    key: "unit",
    meter: countingMeter().meter,
    limits: { calls: 10, tokens: 100_000 },
    fetch,
    ...change,
  });

interface Asked {
  readonly status: number | undefined;
  readonly text: string;
}

function ask(
  proxy: ModelProxy,
  path: string,
  body: unknown = { model: "m", messages: [{ role: "user", content: "hi" }] },
  more: { readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath: proxy.socket,
        path,
        method: more.method ?? "POST",
        headers: { host: "127.0.0.1:41730", "content-type": "application/json", ...more.headers },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.on("end", () => resolve({ status: response.statusCode, text }));
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(more.method === "GET" ? undefined : JSON.stringify(body));
  });
}

function askRaw(proxy: ModelProxy, head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = connect(proxy.socket, () => stream.write(head));
    let text = "";
    stream.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    stream.on("close", () => resolve(text));
    stream.on("error", reject);
  });
}

test("the real key is added outside, the agent's own is dropped, and the call is booked by its usage", async () => {
  await using server = await serve(sendJson(200, chatCompletion("hello")));
  const { meter, booked, worst } = countingMeter();
  await using proxy = await open(server.url, { meter, priceOf: () => price });
  expect(statSync(dirname(proxy.socket)).mode & 0o777).toBe(0o700);
  const own = {
    authorization: "Bearer dummy",
    "x-api-key": "dummy",
    cookie: "a=b",
    "x-forwarded-host": "evil",
  };
  const reply = await ask(proxy, "/v1/chat/completions", { model: "m", messages: [] }, { headers: own });
  expect(JSON.parse(reply.text)).toEqual(chatCompletion("hello"));
  const [seen] = server.seen;
  expect(seen?.path).toBe("/v1/chat/completions");
  expect(seen?.headers.authorization).toBe(`Bearer ${realKey}`);
  expect(seen?.headers["idempotency-key"]).toBe("unit:1");
  for (const name of ["x-api-key", "cookie", "x-forwarded-host"]) expect(seen?.headers[name]).toBeUndefined();
  expect(seen?.body["max_tokens"]).toBe(32_000);
  expect(booked).toEqual([{ nanoUsd: 11 * 3000 + 7 * 15_000, tokens: 18, calls: 1 }]);
  expect(worst[0]!.nanoUsd).toBeGreaterThan(32_000 * 15_000);
  expect(proxy.facts()).toMatchObject({
    calls: 1,
    usage: { inputTokens: 11, outputTokens: 7 },
    failures: [],
  });
  await proxy.close();
  expect(existsSync(dirname(proxy.socket))).toBe(false);
});

const anthropicStream = [
  {
    type: "message_start",
    message: {
      usage: {
        input_tokens: 5,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 3,
        output_tokens: 1,
      },
    },
  },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ä" } },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const responsesStream = [
  { type: "response.created", response: { output: [] } },
  {
    type: "response.completed",
    response: {
      output: [],
      usage: { input_tokens: 28, output_tokens: 9, input_tokens_details: { cached_tokens: 20 } },
    },
  },
];
const chatStream = [
  { choices: [{ delta: { content: "hi" } }] },
  {
    choices: [],
    usage: { prompt_tokens: 28, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 20 } },
  },
  "[DONE]",
];

const streamOf = (events: readonly unknown[]): string =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

test.each([
  ["/v1/messages", anthropicStream],
  ["/v1/responses", responsesStream],
  ["/v1/chat/completions", chatStream],
])("a stream of %s passes byte for byte and its usage is read", async (path, events) => {
  const text = streamOf(events);
  await using server = await serve((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  });
  const { meter, booked } = countingMeter();
  await using proxy = await open(server.url, { meter });
  const reply = await ask(proxy, path, { model: "m", stream: true, max_tokens: 50 });
  expect(reply.text).toBe(text);
  expect(booked).toEqual([{ nanoUsd: 0, tokens: 37, calls: 1 }]);
  expect(proxy.facts().usage).toMatchObject({ inputTokens: 28, outputTokens: 9, cachedInputTokens: 20 });
  if (path.endsWith("completions"))
    expect(server.seen[0]?.body["stream_options"]).toEqual({ include_usage: true });
});

test("pieces of a stream arrive while the provider is still writing", async () => {
  let finish = (): void => {};
  await using server = await serve((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(streamOf(anthropicStream.slice(0, 2)));
    finish = () => void response.end(streamOf(anthropicStream.slice(2)));
  });
  await using proxy = await open(server.url);
  const first = await new Promise<string>((resolve, reject) => {
    const sent = request(
      { socketPath: proxy.socket, path: "/v1/messages", method: "POST", headers: { host: "localhost" } },
      (response) => {
        response.once("data", (piece: Buffer) => resolve(piece.toString()));
      },
    );
    sent.on("error", reject);
    sent.end('{"model":"m","messages":[]}');
  });
  expect(first).toContain("message_start");
  finish();
});

test("a cut stream is a failure of transport, booked at worst case, and no answer", async () => {
  await using server = await serve((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(streamOf(anthropicStream.slice(0, 2)));
    setTimeout(() => response.destroy(), 20);
  });
  const { meter, booked } = countingMeter();
  await using proxy = await open(server.url, { meter });
  await ask(proxy, "/v1/messages").catch(() => {});
  await proxy.close();
  expect(booked).toEqual(["worst"]);
  expect(proxy.facts()).toMatchObject({ calls: 0, failuresInRow: 1, failures: [{ class: "transport" }] });
});

test("an error event inside a stream is the failure that it names", async () => {
  await using server = await serve((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      streamOf([
        anthropicStream[0],
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      ]),
    );
  });
  await using proxy = await open(server.url);
  await ask(proxy, "/v1/messages");
  expect(proxy.facts().failures).toMatchObject([{ class: "throttle", status: 529 }]);
});

test.each([
  [401, {}, "refused", undefined],
  [429, { "retry-after": "3600" }, "throttle", 3_600_000],
  [402, {}, "money", undefined],
  [503, {}, "transport", undefined],
])("status %i is passed on as it is and remembered", async (status, headers, kind, retryAfterMs) => {
  const body = { error: { message: `no: ${realKey}`, type: "x" } };
  await using server = await serve(sendJson(status, body, headers));
  const { meter, booked } = countingMeter();
  await using proxy = await open(server.url, { meter });
  const reply = await ask(proxy, "/v1/messages");
  expect(reply.status).toBe(status);
  expect(reply.text).not.toContain(realKey);
  expect(reply.text).toContain("*".repeat(realKey.length));
  const [failure] = proxy.facts().failures;
  expect(failure).toMatchObject({ status, class: kind });
  expect(failure?.retryAfterMs).toBe(retryAfterMs);
  expect(failure?.message).not.toContain(realKey);
  expect(booked).toEqual([{ nanoUsd: 0, tokens: 0, calls: 1 }]);
});

test("limits of calls and tokens end in a 400 that is remembered; failed calls are not counted", async () => {
  let failing = true;
  await using server = await serve((response) => {
    if (failing) sendJson(529, { error: { message: "busy" } })(response);
    else sendJson(200, chatCompletion("x"))(response);
  });
  await using proxy = await open(server.url, { limits: { calls: 2, tokens: 100_000 } });
  for (let at = 0; at < 3; at += 1) expect((await ask(proxy, "/v1/chat/completions")).status).toBe(529);
  failing = false;
  for (let at = 0; at < 2; at += 1) expect((await ask(proxy, "/v1/chat/completions")).status).toBe(200);
  const refused = await ask(proxy, "/v1/chat/completions");
  expect([refused.status, JSON.parse(refused.text).error.type]).toEqual([400, "invalid_request_error"]);
  expect(proxy.facts().limit).toBe("calls");
  expect(server.seen).toHaveLength(5);

  // each may use 1,138 tokens, and uses 18
  await using second = await open(server.url, { maxTokens: 1000, limits: { calls: 9, tokens: 1160 } });
  for (const status of [200, 200, 400])
    expect((await ask(second, "/v1/chat/completions")).status).toBe(status);
  expect(second.facts().limit).toBe("tokens");
});

test("a spend cap stops the calls before they are made", async () => {
  await using server = await serve(sendJson(200, chatCompletion("x")));
  const cap = new WhetstoneError("spend-cap", "The next call could exceed the cap.");
  await using proxy = await open(server.url, { meter: { begin: () => Promise.reject(cap) } });
  expect((await ask(proxy, "/v1/messages")).status).toBe(400);
  expect((await ask(proxy, "/v1/messages")).status).toBe(400);
  expect(proxy.facts().stopped).toBe(cap);
  expect(server.seen).toHaveLength(0);
});

test("a model without price is refused when prices count", async () => {
  await using server = await serve(sendJson(200, chatCompletion("x")));
  await using proxy = await open(server.url, { priceOf: (model) => (model === "m" ? price : undefined) });
  expect((await ask(proxy, "/v1/messages", { model: "dearer" })).status).toBe(400);
  expect(proxy.facts().stopped).toMatchObject({ code: "price-unknown" });
  expect(server.seen).toHaveLength(0);
});

test("nothing but a model call of this one server gets through", async () => {
  await using server = await serve(sendJson(200, chatCompletion("x")));
  await using proxy = await open(server.url);
  const status = async (...parameters: Parameters<typeof ask>) => (await ask(...parameters)).status;
  expect(await status(proxy, "/v1/models", {}, { method: "GET" })).toBe(404);
  expect(await status(proxy, "/v1/messages", {}, { method: "GET" })).toBe(404);
  for (const path of [
    "http://evil.example/v1/messages",
    "//evil.example/v1/messages",
    "/v1/../admin",
    "/v1/messages/../../x",
    "/v1/messages%2f..",
    "/v1/messages?a=b/../c",
    "/v1/files",
  ])
    expect(await status(proxy, path), path).toBe(404);
  for (const host of [
    "evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil",
    "xn--e1awd7f.com",
    "127.0.0.1:1:2",
    "[::1]",
  ])
    expect(await status(proxy, "/v1/messages", {}, { headers: { host } }), host).toBe(403);
  expect(await askRaw(proxy, "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n")).toMatch(
    /^HTTP\/1.1 405/,
  );
  expect(
    await askRaw(proxy, "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\0.evil\r\nContent-Length: 0\r\n\r\n"),
  ).toMatch(/^HTTP\/1.1 400/);
  expect(
    await askRaw(
      proxy,
      "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    ),
  ).toMatch(/^HTTP\/1.1 40[03]/);
  expect(server.seen).toHaveLength(0);
});

const spendUnder = (usd: number) => {
  const spend = createSpend({ caps: { usd }, already: noCost, elapsedMs: () => 0 });
  const { meter: counting, worst, booked } = countingMeter();
  const meter: Meter = {
    async begin(cost) {
      await spend.reserve(cost);
      const call = await counting.begin(cost);
      return {
        async end(actual) {
          spend.settle(cost, actual === "worst" ? cost : actual);
          await call.end(actual);
        },
      };
    },
  };
  return { meter, worst, booked, spend };
};

/** A provider that bills all that a request allows. */
const billAll = (response: ServerResponse, body: Record<string, unknown>): void => {
  const bound = body["max_completion_tokens"] ?? body["max_tokens"] ?? body["max_output_tokens"];
  const output = Number(body["n"] ?? 1) * Number(bound);
  sendJson(200, {
    type: "message",
    choices: [],
    output: [],
    usage: { prompt_tokens: 10, completion_tokens: output, input_tokens: 10, output_tokens: output },
  })(response);
};

test.each(hostileRequests.map((one) => [one.name, one] as const))(
  "an agent gets neither past the cap nor out of the box: %s",
  async (_, { path, body, headers = {}, becomes }) => {
    await using server = await serve((response) => billAll(response, server.seen.at(-1)!.body));
    const { meter, worst, booked, spend } = spendUnder(1);
    await using proxy = await open(server.url, { meter, priceOf: () => price });
    const reply = await ask(proxy, path, body, { headers });
    expect(reply.status, reply.text).toBe(becomes === "refused" ? 400 : 200);
    expect(server.seen).toHaveLength(becomes === "refused" ? 0 : 1);
    expect(spend.spent().nanoUsd).toBeLessThanOrEqual(1e9);
    if (becomes === "refused") {
      const { error } = JSON.parse(reply.text);
      expect(error).toMatchObject({ type: "invalid_request_error" });
      expect(error.message).toMatch(/^[A-Z`].*\.$/);
      return;
    }
    const [cost] = booked;
    if (cost === undefined || cost === "worst") throw new Error("not booked");
    expect(cost.nanoUsd).toBeLessThanOrEqual(worst[0]!.nanoUsd);
    expect(server.seen[0]?.headers["anthropic-beta"]).toBeUndefined();
  },
);

test("a picture is set aside by its pixels, not by its bytes", async () => {
  await using server = await serve(sendJson(200, chatCompletion("x")));
  const { meter, worst } = countingMeter();
  await using proxy = await open(server.url, { meter, priceOf: () => price });
  const picture = hostileRequests.find(({ name }) => name.includes("many pixels"))!;
  await ask(proxy, picture.path, picture.body);
  expect(worst[0]!.tokens).toBeGreaterThan(48_169);
  expect(worst[0]!.tokens).toBeLessThan(49_000);
});

test("fields, headers and words of the address that nobody knows are taken out and named once", async () => {
  await using server = await serve(sendJson(200, chatCompletion("x")));
  await using proxy = await open(server.url, { allow: ["logit_style", "min_p"] });
  const message = { role: "user", content: [{ type: "text", text: "hi", citations: [] }] };
  const body = {
    model: "m",
    messages: [message, message],
    min_p: 0.1,
    logit_style: { a: "https://evil.example" },
    new_field: 1,
  };
  const headers = { "x-new": "1", "openai-beta": "assistants=v2" };
  for (let at = 0; at < 2; at += 1)
    expect((await ask(proxy, "/v1/chat/completions?x=1&beta=true", body, { headers })).status).toBe(200);
  const [seen] = server.seen;
  expect(seen?.path).toBe("/v1/chat/completions?beta=true");
  const part = { type: "text", text: "hi" };
  const sent = { role: "user", content: [part] };
  expect(seen?.body).toEqual({ model: "m", messages: [sent, sent], min_p: 0.1 });
  expect(seen?.headers["x-new"]).toBeUndefined();
  expect(proxy.facts().removed.toSorted()).toEqual([
    "?x=1",
    "logit_style",
    "messages[].content[].citations",
    "new_field",
    "openai-beta: assistants=v2",
    "x-new",
  ]);
});

test("a bill above what the request allows is booked, and is the last one", async () => {
  await using server = await serve((response) => billAll(response, { max_tokens: 9_000_000 }));
  const { meter, booked } = countingMeter();
  await using proxy = await open(server.url, { meter, priceOf: () => price });
  expect((await ask(proxy, "/v1/chat/completions")).status).toBe(200);
  expect((await ask(proxy, "/v1/chat/completions")).status).toBe(400);
  expect(booked).toMatchObject([{ tokens: 9_000_010 }]);
  expect(proxy.facts().stopped).toMatchObject({ code: "spend-cap" });
});

test("a body that is too large, or comes after the limit, is not kept", async () => {
  await using server = await serve(sendJson(200, chatCompletion("x")));
  await using proxy = await open(server.url, { limits: { calls: 1, tokens: 100_000 } });
  const large = { model: "m", messages: [{ role: "user", content: "x".repeat(9 * 2 ** 20) }] };
  expect((await ask(proxy, "/v1/chat/completions", large)).status).toBe(413);
  const pieces = { headers: { "transfer-encoding": "chunked" } };
  expect((await ask(proxy, "/v1/chat/completions", large, pieces)).status).toBe(413);
  expect((await ask(proxy, "/v1/chat/completions")).status).toBe(200);
  expect((await ask(proxy, "/v1/chat/completions", large)).status).toBe(400);
  expect(server.seen).toHaveLength(1);
});

test("a request that is nested for ever is refused", async () => {
  await using server = await serve(sendJson(200, chatCompletion("x")));
  await using proxy = await open(server.url);
  let deep: unknown = 1;
  for (let at = 0; at < 2000; at += 1) deep = [deep];
  const tools = [{ type: "function", function: { name: "f", parameters: deep } }];
  expect((await ask(proxy, "/v1/chat/completions", { model: "m", messages: [], tools })).status).toBe(400);
  expect(server.seen).toHaveLength(0);
});

test("only a few connections are open at once, and few bodies are read", async () => {
  await using proxy = await open("http://127.0.0.1:9/v1");
  const streams = Array.from({ length: 60 }, () => connect(proxy.socket));
  let [refused, taken] = [0, 0];
  const piece = Buffer.alloc(2 ** 16, 32);
  for (const stream of streams) {
    stream.on("error", () => {}).on("close", () => (refused += 1));
    stream.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 8000000\r\n\r\n");
    const more = (): void => void stream.write(piece, (error) => error ?? ((taken += piece.length), more()));
    more();
  }
  await expect.poll(() => refused).toBe(60 - 32);
  // eight are read whole, the others as far as buffers of the kernel go
  await expect.poll(() => taken).toBeGreaterThan(8 * 7_000_000);
  expect(taken).toBeLessThan(8 * 8_000_000 + 24 * 2_000_000);
  for (const stream of streams) stream.destroy();
});

test("a redirect is not followed, and the key goes nowhere else", async () => {
  let strayed = 0;
  const other = createServer((_, response) => {
    strayed += 1;
    response.end("{}");
  });
  await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  await using server = await serve(sendJson(307, {}, { location: `http://127.0.0.1:${port}/` }));
  await using proxy = await open(server.url);
  expect((await ask(proxy, "/v1/messages")).status).toBe(502);
  expect(strayed).toBe(0);
  other.close();
});

test("a key that the provider repeats in its answer is masked, wherever it is cut", async () => {
  const text = JSON.stringify(chatCompletion(`you sent Bearer ${realKey} and ${realKey}`));
  await using server = await serve((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    for (const character of text) response.write(character);
    response.end();
  });
  await using proxy = await open(server.url);
  const reply = await ask(proxy, "/v1/chat/completions");
  expect(reply.text).not.toContain(realKey);
  expect(reply.text).toHaveLength(text.length);
});

test("a login that cannot be refreshed answers without a retry in it", async () => {
  const { InfraError } = await import("../../core/errors.ts");
  await using proxy = await open("http://127.0.0.1:9/v1", {
    headers: () => Promise.reject(new InfraError("refused", "The login has expired.")),
  });
  expect((await ask(proxy, "/v1/messages")).status).toBe(400);
  expect(proxy.facts().failures).toMatchObject([{ class: "refused", message: "The login has expired." }]);
});

test("closing ends a call under way and books it at worst case", async () => {
  await using server = await serve(() => {});
  const { meter, booked } = countingMeter();
  await using proxy = await open(server.url, { meter });
  const pending = ask(proxy, "/v1/messages").catch(() => "ended");
  await expect.poll(() => server.seen.length).toBe(1);
  await proxy.close();
  expect(await pending).toBe("ended");
  expect(booked).toEqual(["worst"]);
  expect(proxy.facts().failures).toEqual([]);
  expect(proxy.facts().waitedMs).toBeGreaterThan(0);
});
