import { expect, test } from "vitest";
import type { Config } from "../schema.ts";
import { requireUsedPeers, usedPeers } from "./used-peers.ts";

const neededFor = (ids: readonly string[], config: Config = {}): readonly string[] =>
  usedPeers(ids, config).flatMap(({ name, isNeeded }) => (isNeeded ? [name] : []));

test("what a run needs follows from its models, its journal and its executor", () => {
  expect(neededFor(["openai/a", "ollama/b", "groq/c", "opencode/google/d", "claude-code/e"])).toEqual([]);
  expect(neededFor(["anthropic/a", "anthropic/b"])).toEqual(["@ai-sdk/anthropic", "@ai-sdk/anthropic"]);
  expect(neededFor(["mine/openai/a"], { agents: { mine: { acp: ["mine"] } } })).toEqual([
    "@agentclientprotocol/sdk",
  ]);
  const shared: Config = { journal: "postgres://host/db", executor: "bullmq" };
  expect(neededFor([], shared)).toEqual(["pg", "bullmq", "ioredis"]);
  expect(neededFor(["google/a"], { ...shared, offline: true })).toEqual(["pg"]);
});

test("a run that lacks several packages says so once, with one line that installs them", () => {
  const config: Config = { target: "google/a", optimizer: "azure/b" };
  expect(() => requireUsedPeers(config, { env: {}, roles: ["target", "optimizer"] })).toThrow(
    expect.objectContaining({ code: "peer-missing", hint: "npm i @ai-sdk/google @ai-sdk/azure" }),
  );
  expect(() => requireUsedPeers(config, { env: {}, roles: [] })).not.toThrow();
  const env = { GOOGLE_GENERATIVE_AI_API_KEY: "x" };
  expect(() => requireUsedPeers({}, { env, roles: ["target", "optimizer"] })).toThrow(
    expect.objectContaining({ hint: "npm i @ai-sdk/google" }),
  );
});
