import { assert, asyncProperty, integer } from "fast-check";
import { expect, test } from "vitest";
import { hashText } from "../../core/canonical.ts";
import { seededRandom, shuffle } from "../../core/random.ts";
import type { ChatWorld } from "./chat-world.ts";
import { startScriptedServer } from "./start-scripted-server.ts";

const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"] as const;

/** Says what it was asked, and a number that belongs to the key. */
const echo: ChatWorld = {
  reply: ({ key, system, messages, tools }) => ({
    text: [
      system,
      ...messages.map(({ role, content }) => `${role}: ${content}`),
      seededRandom(7, key)(),
    ].join("|"),
    ...(tools.length === 0 ? {} : { toolCalls: tools.map(({ name }) => ({ name, arguments: { of: key } })) }),
  }),
};

const question = (text: string, more: object = {}) => ({
  model: "m",
  max_tokens: 1000,
  max_output_tokens: 1000,
  messages: [{ role: "user", content: text }],
  input: text,
  ...more,
});

const post = (url: string, body: object, key?: string) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: JSON.stringify(body),
  });

test("chat completions answer in OpenAI's shape, with usage of a quarter of the characters", async () => {
  await using server = await startScriptedServer({ seed: 1, world: { reply: () => ({ text: "hello" }) } });
  const response = await post(`${server.url}/v1/chat/completions`, question("123456789"), "a");
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^chatcmpl-[0-9a-f]{40}$/),
    object: "chat.completion",
    created: expect.any(Number),
    model: "m",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "hello", refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
});

test("streams end with the event that each protocol ends with", async () => {
  await using server = await startScriptedServer({ seed: 1, world: echo });
  const ends: (string | undefined)[] = [];
  for (const path of paths) {
    const response = await post(`${server.url}${path}`, question("hi", { stream: true }), "a");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = (await response.text()).trimEnd().split("\n\n");
    expect(events.length).toBeGreaterThan(3);
    ends.push(events.at(-1)?.split("\n")[0]);
  }
  expect(ends).toEqual(["data: [DONE]", "event: response.completed", "event: message_stop"]);
});

test("a chat stream brings usage only when asked for it", async () => {
  await using server = await startScriptedServer({ seed: 1, world: echo });
  const ask = async (more: object) =>
    (await post(`${server.url}${paths[0]}`, question("hi", { stream: true, ...more }), "a")).text();
  expect(await ask({})).not.toContain("usage");
  expect(await ask({ stream_options: { include_usage: true } })).toContain('"usage":{"prompt_tokens":1');
});

test("the key is the header, else the path, else the hash of the body", async () => {
  await using server = await startScriptedServer({ seed: 1, world: echo });
  const body = question("hi");
  for (const path of paths) {
    await post(`${server.url}/k/from-path${path}`, body, "from-header");
    await post(`${server.url}/k/from-path${path}`, body);
    await post(`${server.url}${path}`, body);
  }
  const ofBody = hashText(JSON.stringify(body));
  expect(server.calls.map((call) => call.key)).toEqual(
    paths.flatMap(() => ["from-header", "from-path", ofBody]),
  );
  expect([...server.callsByKey]).toEqual([
    ["from-header", 3],
    ["from-path", 3],
    [ofBody, 3],
  ]);
});

test("system text, tool results and limits are read the same from every protocol", async () => {
  await using server = await startScriptedServer({ seed: 1, world: echo });
  await post(`${server.url}/v1/chat/completions`, {
    model: "m",
    max_completion_tokens: 50,
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: [{ type: "text", text: "weather?" }] },
      { role: "assistant", content: null, tool_calls: [] },
      { role: "tool", tool_call_id: "call_1", content: "rain" },
    ],
  });
  await post(`${server.url}/v1/responses`, {
    model: "m",
    max_output_tokens: 50,
    instructions: "be brief",
    input: [
      { role: "user", content: [{ type: "input_text", text: "weather?" }] },
      { role: "assistant", content: [] },
      { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
    ],
  });
  await post(`${server.url}/v1/messages`, {
    model: "m",
    max_tokens: 50,
    system: [{ type: "text", text: "be brief" }],
    messages: [
      { role: "user", content: "weather?" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }] },
    ],
  });
  for (const { request } of server.calls) {
    expect(request).toMatchObject({
      model: "m",
      system: "be brief",
      maxTokens: 50,
      messages: [
        { role: "user", content: "weather?" },
        { role: "assistant", content: "" },
        { role: "tool", content: "rain" },
      ],
    });
  }
  expect(server.calls).toHaveLength(3);
});

test("a reply longer than maxTokens is cut and says so", async () => {
  await using server = await startScriptedServer({
    seed: 1,
    world: { reply: () => ({ text: "x".repeat(100) }) },
  });
  const body = await (await post(`${server.url}${paths[0]}`, question("hi", { max_tokens: 10 }))).json();
  expect(body).toMatchObject({
    choices: [{ message: { content: "x".repeat(40) }, finish_reason: "length" }],
    usage: { completion_tokens: 10 },
  });
});

test("what a key gets depends neither on the order of arrival nor on retries", async () => {
  const keys = Array.from({ length: 20 }, (_, index) => `unit-${index}`);
  const collect = async (order: readonly string[]) => {
    await using server = await startScriptedServer({
      seed: 5,
      world: echo,
      latency: { kind: "uniform", minMs: 0, maxMs: 4 },
      faults: { rate: 0.4, kinds: ["429-no-header", "500", "reset"] },
    });
    const askUntilAnswered = async (key: string) => {
      for (const attempt of Array.from({ length: 30 }, (_, index) => index + 1)) {
        const response = await post(`${server.url}${paths[0]}`, question("hi"), key).catch(() => undefined);
        if (response?.ok === true) return { key, attempt, text: await response.text() };
      }
      return { key, attempt: 0, text: "never answered" };
    };
    return (await Promise.all(order.map(askUntilAnswered))).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  };
  const expected = await collect(keys);
  expect(new Set(expected.map(({ attempt }) => attempt)).size).toBeGreaterThan(1);
  await assert(
    asyncProperty(integer(), async (seed) => {
      expect(await collect(shuffle(keys, seededRandom(seed)))).toEqual(expected);
    }),
    { numRuns: 5 },
  );
});

test("a retry gets the same text as the first try would have got", async () => {
  const ask = async (faulty: boolean) => {
    await using server = await startScriptedServer({
      seed: 5,
      world: echo,
      faults: (_key, attempt) => (faulty && attempt < 3 ? "503" : undefined),
    });
    let response = await post(`${server.url}${paths[2]}`, question("hi"), "unit");
    while (!response.ok) response = await post(`${server.url}${paths[2]}`, question("hi"), "unit");
    return { text: server.calls.at(-1)?.answer?.text, calls: server.callsByKey.get("unit") };
  };
  const clean = await ask(false);
  const retried = await ask(true);
  expect(retried.text).toBe(clean.text);
  expect(clean.text).toContain("user: hi");
  expect([clean.calls, retried.calls]).toEqual([1, 3]);
});

test("tool-call ids never repeat, not even for the same key", async () => {
  await using server = await startScriptedServer({ seed: 1, world: echo });
  const tools = ["look", "find"].map((name) => ({
    type: "function",
    name,
    function: { name, parameters: {} },
    parameters: {},
    input_schema: {},
  }));
  for (const path of paths) {
    for (const key of ["a", "a", "b"]) await post(`${server.url}${path}`, question("hi", { tools }), key);
  }
  const ids = server.calls.flatMap((call) => call.answer?.toolCalls.map(({ id }) => id) ?? []);
  expect(ids).toHaveLength(18);
  expect(new Set(ids).size).toBe(18);
});

test("latency can differ from model to model", async () => {
  await using server = await startScriptedServer({
    seed: 1,
    world: echo,
    latency: (model) =>
      model === "slow" ? { kind: "fixed", ms: 3_600_000 } : { kind: "lognormal", medianMs: 5, sigma: 0.3 },
  });
  const ask = (model: string) => post(`${server.url}${paths[0]}`, question("hi", { model }), "a");
  const slow = ask("slow").catch(() => "still waiting when the server closed");
  await expect.poll(() => server.inFlight()).toBe(1);
  await (await ask("quick")).text();
  expect(server.inFlight()).toBe(1);
  await server.close();
  expect(await slow).toBe("still waiting when the server closed");
});

test("calls in flight are counted, and abandoned ones leave the count", async () => {
  await using server = await startScriptedServer({
    seed: 1,
    world: echo,
    latency: { kind: "fixed", ms: 5000 },
  });
  const controller = new AbortController();
  const waiting = Array.from({ length: 10 }, (_, index) =>
    fetch(`${server.url}${paths[0]}`, {
      method: "POST",
      body: JSON.stringify(question(`hi ${index}`)),
      signal: controller.signal,
    }).catch(() => "aborted"),
  );
  await expect.poll(() => server.inFlight()).toBe(10);
  controller.abort();
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 10 }, () => "aborted"));
  await expect.poll(() => server.inFlight()).toBe(0);
  expect(server.maxInFlight).toBe(10);
});

test("close ends calls that still wait, and can be called twice", async () => {
  const server = await startScriptedServer({ seed: 1, world: echo, faults: () => "timeout" });
  const waiting = post(`${server.url}${paths[0]}`, question("hi")).catch(() => "closed");
  await expect.poll(() => server.inFlight()).toBe(1);
  await Promise.all([server.close(), server.close()]);
  expect(await waiting).toBe("closed");
});

test("without recording only the counters are kept", async () => {
  await using server = await startScriptedServer({ seed: 1, world: echo, record: false });
  await post(`${server.url}${paths[0]}`, question("hi"), "a");
  expect(server.calls).toEqual([]);
  expect(server.callCount).toBe(1);
  expect(server.callsByKey.get("a")).toBe(1);
});

test("requests that no provider would take are refused, and a broken script stops its user", async () => {
  await using server = await startScriptedServer({
    seed: 1,
    world: {
      reply: () => {
        throw new RangeError("no such thing");
      },
    },
  });
  const status = async (path: string, init: RequestInit) =>
    (await fetch(`${server.url}${path}`, { method: "POST", ...init })).status;
  expect(await status("/v1/embeddings", { body: "{}" })).toBe(404);
  expect(await status(paths[0], { method: "GET" })).toBe(405);
  for (const path of paths) {
    expect(await status(path, { body: "{" })).toBe(400);
    expect(await status(path, { body: "[]" })).toBe(400);
    expect(await status(path, { body: "{}" })).toBe(400);
  }
  const response = await post(`${server.url}${paths[0]}`, question("hi"));
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("no such thing");
  expect(server.inFlight()).toBe(0);
});

test("with an authorization, every other header gets a 401 and no answer", async () => {
  await using server = await startScriptedServer({ seed: 1, world: echo, authorization: "Bearer right" });
  const ask = async (path: string, headers: Readonly<Record<string, string>>) => {
    const body = JSON.stringify(question("hi"));
    return (await fetch(`${server.url}${path}`, { method: "POST", headers, body })).status;
  };
  for (const path of paths) {
    expect(await ask(path, { authorization: "Bearer right" })).toBe(200);
    expect(await ask(path, { authorization: "Bearer wrong" })).toBe(401);
    expect(await ask(path, { "x-api-key": "right" })).toBe(401);
  }
  expect(server.calls.filter(({ answer }) => answer !== undefined)).toHaveLength(3);
});

test("it listens on the port that was asked for", async () => {
  const first = await startScriptedServer({ seed: 1, world: echo });
  const port = Number(new URL(first.url).port);
  await expect(startScriptedServer({ seed: 1, world: echo, port })).rejects.toThrow("EADDRINUSE");
  await first.close();
  await using second = await startScriptedServer({ seed: 1, world: echo, port });
  expect(second.url).toBe(first.url);
});
