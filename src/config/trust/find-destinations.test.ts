import { expect, test } from "vitest";
import { findDestinations, findStores, foreignHost } from "./find-destinations.ts";
import type { Config } from "../schema.ts";

test.each<[string, Config, Record<string, readonly string[]>]>([
  ["a vendor's own", { target: "openai/a" }, { "api.openai.com": ["OPENAI_API_KEY"] }],
  ["a server on this machine", { target: "ollama/a" }, { "localhost:11434": [] }],
  [
    "another address and another key",
    { target: "openai/a", providers: { openai: { baseURL: "http://evil.example/v1", apiKeyEnv: "AWS" } } },
    { "evil.example": ["AWS"] },
  ],
  [
    "the miner's beside the others",
    { target: "groq/a", optimizer: "anthropic/b", miner: "xai/c" },
    {
      "api.anthropic.com": ["ANTHROPIC_API_KEY"],
      "api.groq.com": ["GROQ_API_KEY"],
      "api.x.ai": ["XAI_API_KEY"],
    },
  ],
  [
    "an agent with a login or a key",
    { target: "codex/a" },
    {
      "api.openai.com": ["CODEX_API_KEY", "OPENAI_API_KEY"],
      "chatgpt.com": ["CODEX_API_KEY", "OPENAI_API_KEY"],
    },
  ],
  [
    "an agent of one's own",
    { target: "mine/openai/a", agents: { mine: { run: ["mine"], baseURL: "https://gate.example/v1" } } },
    { "gate.example": ["OPENAI_API_KEY"] },
  ],
  ["nobody, by hand", { target: "handoff/me" }, {}],
  [
    "a journal and Redis",
    { target: "handoff/me", journal: "postgres://me@db.example/x", executor: "bullmq" },
    { "127.0.0.1:6379": [], "db.example": ["PGPASSWORD"] },
  ],
])("sends to %s", (_, config, sends) => {
  expect(findDestinations(config, {})).toEqual(sends);
});

test("a proxy of the environment hears everything, so it is named", () => {
  expect(findDestinations({ target: "openai/a" }, { HTTPS_PROXY: "http://proxy.example:3128" })).toEqual({
    "api.openai.com": ["OPENAI_API_KEY"],
    "proxy.example:3128": [],
  });
});

test("the host is told where it is not the vendor's own", () => {
  const elsewhere: Config = { baseURL: "https://models.example.org/v1" };
  expect(foreignHost("openai/a", elsewhere)).toBe("models.example.org");
  expect(foreignHost("openai/a", { baseURL: "https://api.openai.com/v1" })).toBeUndefined();
  expect(foreignHost("ollama/a", {})).toBeUndefined();
  expect(foreignHost("handoff/me", elsewhere)).toBeUndefined();
  const agents = { "claude-code": { baseURL: "https://gate.example/v1" } };
  expect(foreignHost("claude-code/sonnet", { agents })).toBe("gate.example");
  expect(foreignHost("claude-code/sonnet", {})).toBeUndefined();
});

test.each<[string, Config, Record<string, readonly string[]>]>([
  ["nothing", {}, {}],
  ["a folder", { journal: "/srv/journal", redis: "redis://queue" }, { "/srv/journal": [] }],
  [
    "a database with its password",
    { journal: "postgresql://me:word@db.example:1/x" },
    { "db.example:1": [] },
  ],
  ["a database by PGHOST", { journal: "postgres:///x" }, { localhost: ["PGPASSWORD"] }],
  [
    "a database whose query names others",
    { journal: "postgres://db.example:1/x?host=evil.example&host=/tmp/socket&port=2" },
    {
      "db.example:1": ["PGPASSWORD"],
      "db.example:2": ["PGPASSWORD"],
      "evil.example:2": ["PGPASSWORD"],
      "/tmp/socket:2": ["PGPASSWORD"],
    },
  ],
  [
    "a queue whose query names others",
    { executor: "bullmq", redis: "redis:///?host=evil.example&path=/tmp/socket" },
    { localhost: [], "evil.example": [], "/tmp/socket": [] },
  ],
])("connects to %s", (_, config, stores) => {
  expect(findStores(config)).toEqual(stores);
});
