import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ChatWorld } from "./chat-world.ts";
import { startScriptedServer } from "./start-scripted-server.ts";

const providers: Readonly<Record<string, (url: string) => LanguageModel>> = {
  "openai-chat": (url) =>
    createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, includeUsage: true })("target-1"),
  "openai-responses": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).responses("target-1"),
  "anthropic-messages": (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })("target-1"),
};

const story = "A long reply, über die Straße 🚲 and back: ".repeat(6);

const weather: ChatWorld = {
  reply: ({ messages }) =>
    messages.some((message) => message.role === "tool")
      ? { text: `It said ${messages.findLast((message) => message.role === "tool")?.content}` }
      : {
          text: "",
          toolCalls: [
            { name: "weather", arguments: { town: "Fennick" } },
            { name: "weather", arguments: { town: "Orrel" } },
          ],
        },
};

const tools = {
  weather: tool({
    description: "The weather of a town",
    inputSchema: z.object({ town: z.string() }),
    execute: async ({ town }) => `rain in ${town}`,
  }),
};

test.each(Object.keys(providers))("%s: text, finish and usage arrive, whole and streamed", async (name) => {
  const usage = { inputTokens: 40, outputTokens: 11, cachedInputTokens: 16 };
  await using server = await startScriptedServer({
    seed: 1,
    world: { reply: () => ({ text: story, usage }) },
  });
  const call = {
    model: providers[name]!(server.url),
    instructions: "Be brief.",
    prompt: "Tell me",
    headers: { "Idempotency-Key": "unit-1" },
    maxRetries: 0,
  };
  const whole = await generateText(call);
  const stream = streamText(call);
  for (const result of [
    whole,
    { text: await stream.text, finishReason: await stream.finishReason, usage: await stream.usage },
  ]) {
    expect(result.text).toBe(story);
    expect(result.finishReason).toBe("stop");
    expect(result.usage).toMatchObject({
      inputTokens: 40,
      outputTokens: 11,
      inputTokenDetails: { cacheReadTokens: 16 },
    });
  }
  for (const { key, request } of server.calls) {
    expect(key).toBe("unit-1");
    expect(request).toMatchObject({
      protocol: name,
      model: "target-1",
      system: "Be brief.",
      messages: [{ role: "user", content: "Tell me" }],
    });
  }
});

test.each(Object.keys(providers))("%s: a tool loop runs to its end, whole and streamed", async (name) => {
  await using server = await startScriptedServer({ seed: 1, world: weather });
  const call = {
    model: providers[name]!(`${server.url}/k/unit-7`),
    prompt: "What is the weather?",
    tools,
    stopWhen: stepCountIs(3),
    maxRetries: 0,
  };
  const whole = await generateText(call);
  const stream = streamText(call);
  expect(whole.text).toBe("It said rain in Orrel");
  expect(await stream.text).toBe("It said rain in Orrel");
  const steps = [...whole.steps, ...(await stream.steps)];
  expect(steps.map((step) => step.finishReason)).toEqual(["tool-calls", "stop", "tool-calls", "stop"]);
  const toolCalls = steps.flatMap((step) => step.toolCalls);
  expect(toolCalls.map(({ input }) => input)).toEqual(
    [0, 1].flatMap(() => [{ town: "Fennick" }, { town: "Orrel" }]),
  );
  expect(new Set(toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(4);
  expect(server.calls[0]?.request.tools).toMatchObject([
    { name: "weather", description: "The weather of a town" },
  ]);
  expect(server.callsByKey).toEqual(new Map([["unit-7", 4]]));
});

test.each(Object.keys(providers))("%s: length and content filter are understood", async (name) => {
  await using server = await startScriptedServer({
    seed: 1,
    world: { reply: () => ({ text: "half a", finish: "content-filter" }) },
  });
  const call = { model: providers[name]!(server.url), prompt: "Tell me", maxRetries: 0 };
  expect((await generateText(call)).finishReason).toBe("content-filter");
  server.setOutage("truncated");
  expect(await generateText(call)).toMatchObject({ finishReason: "length", text: "hal" });
  expect(await streamText(call).finishReason).toBe("length");
});

test.each(Object.keys(providers))("%s: errors keep status, message and Retry-After", async (name) => {
  await using server = await startScriptedServer({ seed: 1, world: weather, faults: () => "429" });
  const call = generateText({ model: providers[name]!(server.url), prompt: "Tell me", maxRetries: 0 });
  await expect(call).rejects.toMatchObject({
    statusCode: 429,
    message: expect.stringContaining("Rate limit reached for target-1"),
    responseHeaders: { "retry-after": "1" },
  });
});
