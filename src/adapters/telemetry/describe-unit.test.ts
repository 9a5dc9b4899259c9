import { expect, test } from "vitest";
import { describeUnit, readResultFacts, resultAttributes } from "./describe-unit.ts";

const who = (kind: string, model: string) => {
  const { name, attributes } = describeUnit(kind, model);
  return [name, attributes["gen_ai.provider.name"], attributes["gen_ai.request.model"]];
};

test("providers have the names of the conventions, others keep their own", () => {
  expect(who("generate", "openai/gpt-5-nano")).toEqual(["chat gpt-5-nano", "openai", "gpt-5-nano"]);
  expect(who("generate", "google/gemini-3")).toEqual(["chat gemini-3", "gcp.gemini", "gemini-3"]);
  expect(who("generate", "openrouter/a/b")).toEqual(["chat a/b", "openrouter", "a/b"]);
});

test("an agent is invoked, with the provider of its model", () => {
  expect(who("agent", "claude-code/sonnet")).toEqual(["invoke_agent claude-code", "anthropic", "sonnet"]);
  expect(who("agent", "opencode/xai/grok-5")).toEqual(["invoke_agent opencode", "x_ai", "grok-5"]);
  expect(who("agent", "mine/default")).toEqual(["invoke_agent mine", "mine", "default"]);
});

test("graders and environments ask no model", () => {
  expect(describeUnit("command", "openai/gpt-5")).toEqual({
    name: "command",
    isGenAi: false,
    attributes: {},
  });
});

test("of a result only tokens and finish are told", () => {
  const usage = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2 };
  const reply = readResultFacts({ text: "secret", finish: "content-filter", usage });
  expect(resultAttributes(reply)).toEqual({
    "gen_ai.response.finish_reasons": ["content_filter"],
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.usage.output_tokens": 3,
    "gen_ai.usage.cache_read.input_tokens": 2,
  });
  const rollout = readResultFacts({ text: "secret", ended: "turns", conversation: [], usage });
  expect(rollout).toEqual({ usage, finish: "turns" });
  expect(readResultFacts("secret")).toEqual({});
});
