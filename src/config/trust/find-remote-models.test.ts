import { expect, test } from "vitest";
import { findRemoteModels } from "./find-remote-models.ts";

const all = (id: string) => ({ target: id, optimizer: id, judge: id, miner: id });

test.each([
  ["ollama/qwen3", {}, true],
  ["handoff/me", {}, true],
  ["openai/gpt-5", {}, false],
  ["openai/gpt-5", { baseURL: "http://127.0.0.1:9/v1" }, true],
  ["openai/gpt-5", { baseURL: "http://127.0.0.1.example.com/v1" }, false],
  ["house/small", { providers: { house: { baseURL: "http://10.0.0.7/v1" } } }, false],
  ["claude-code/sonnet", {}, false],
  ["claude-code/sonnet", { agents: { "claude-code": { baseURL: "http://localhost:9" } } }, true],
  ["unheard-of/model", {}, false],
])("%s with %j stays on this machine: %s", (id, config, stays) => {
  expect(findRemoteModels(all(id), config, {})).toEqual(stays ? [] : [id]);
});

test("a variable that names another machine is believed", () => {
  expect(findRemoteModels(all("ollama/qwen3"), {}, { OLLAMA_HOST: "10.0.0.7" })).toEqual(["ollama/qwen3"]);
  expect(findRemoteModels(all("ollama/qwen3"), {}, { OLLAMA_HOST: "0.0.0.0:9" })).toEqual([]);
});
