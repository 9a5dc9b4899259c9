import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { startScriptedServer } from "../../testing/index.ts";
import { parseConfig } from "../../config/parse-config.ts";
import { resolveModel } from "./providers.ts";

const page = readFileSync(new URL("../../../docs/models.md", import.meta.url), "utf8");
const configs = [...page.matchAll(/^## (.+)\n[^#]*?```json\n([\s\S]*?)^```$/gm)].map(
  ([, name = "", text = ""]) => [name, text] as const,
);

/** Where a call of the target goes, and the header that has the key. */
const expected: Readonly<Record<string, readonly [address: string, header?: string, value?: string]>> = {
  OpenAI: ["https://api.openai.com/v1/responses", "authorization", "Bearer OPENAI_API_KEY"],
  Anthropic: ["https://api.anthropic.com/v1/messages", "x-api-key", "ANTHROPIC_API_KEY"],
  Azure: [
    "https://my-resource.openai.azure.com/openai/v1/chat/completions",
    "authorization",
    "Bearer AZURE_OPENAI_API_KEY",
  ],
  OpenRouter: ["https://openrouter.ai/api/v1/chat/completions", "authorization", "Bearer OPENROUTER_API_KEY"],
  Ollama: ["http://localhost:11434/v1/chat/completions"],
  "llama.cpp": ["http://localhost:8080/v1/chat/completions", "authorization", "Bearer LLAMACPP_API_KEY"],
  vLLM: ["http://localhost:8000/v1/chat/completions", "authorization", "Bearer VLLM_API_KEY"],
  "LM Studio": ["http://localhost:1234/v1/chat/completions", "authorization", "Bearer LMSTUDIO_API_KEY"],
  "Any other server": ["https://llm.example.com/v1/chat/completions", "x-team", "search"],
};

test("docs/models.md has a config for each kind of server", () => {
  expect(configs.map(([name]) => name)).toEqual(Object.keys(expected));
});

test.each(configs)("%s: its config calls its server as that server wants it", async (name, text) => {
  const server = await startScriptedServer({ seed: 1, world: { reply: () => ({ text: "4" }) } });
  onTestFinished(() => server.close());
  const { target, providers } = parseConfig(JSON.parse(text), "docs/models.md");
  if (typeof target !== "string") throw new Error("A config of JSON names its target.");
  const [address, header, value] = expected[name] ?? ["nowhere"];
  const env = Object.fromEntries(
    ["OPENAI", "ANTHROPIC", "AZURE_OPENAI", "OPENROUTER", "LLAMACPP", "VLLM", "LMSTUDIO"].map((who) => [
      `${who}_API_KEY`,
      `${who}_API_KEY`,
    ]),
  );
  const seen: { url: string; headers: Headers }[] = [];
  const model = await resolveModel(target, {
    env,
    providers,
    // the address is that of the vendor; what answers speaks its protocol
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : input.toString();
      seen.push({ url, headers: new Headers(init?.headers) });
      return fetch(`${server.url}/v1${/\/(?:chat\/completions|responses|messages)$/.exec(url)?.[0]}`, init);
    },
  });
  const request = {
    model: model.id,
    messages: [{ role: "user" as const, content: "2 + 2?" }],
    maxTokens: 50,
  };
  const reply = await model.generate(request, { key: "a", signal: AbortSignal.timeout(60_000) });
  expect(reply).toMatchObject({ text: "4", finish: "stop" });
  expect(seen.map(({ url }) => url)).toEqual([address]);
  if (header !== undefined) expect(seen[0]?.headers.get(header)).toBe(value);
  expect(server.calls[0]?.request.model).toBe(target.slice(target.indexOf("/") + 1));
});
