import { expect, test } from "vitest";
import { isOnThisMachine } from "./model-place.ts";
import { providersFor } from "./resolve-model.ts";
import { giveAddressFor, withUsualVariables } from "./usual-variables.ts";

type Env = Readonly<Record<string, string>>;

const addressOf = (id: string, env: Env): string | undefined =>
  withUsualVariables({}, [id], env).providers?.[id.split("/", 1)[0] ?? ""]?.baseURL;

test.each<[string, Env, string | undefined]>([
  ["openai/m", { OPENAI_BASE_URL: "http://127.0.0.1:8080/v1/" }, "http://127.0.0.1:8080/v1"],
  ["openai/m", { OPENAI_BASE_URL: "https://api.openai.com/v1" }, undefined],
  ["local/m", { OPENAI_BASE_URL: "http://127.0.0.1:8080/v1" }, "http://127.0.0.1:8080/v1"],
  ["groq/m", { OPENAI_BASE_URL: "http://127.0.0.1:8080/v1" }, undefined],
  ["codex/m", { OPENAI_BASE_URL: "http://127.0.0.1:8080/v1" }, undefined],
  ["anthropic/m", { ANTHROPIC_BASE_URL: "https://gate.example" }, "https://gate.example/v1"],
  ["azure/m", { AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com/" }, "https://x.openai.azure.com/openai"],
  [
    "azure/m",
    { AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com/openai/v1/" },
    "https://x.openai.azure.com/openai",
  ],
  ["ollama/m", { OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434/v1"],
  ["ollama/m", { OLLAMA_HOST: ":9999" }, "http://127.0.0.1:9999/v1"],
  ["ollama/m", { OLLAMA_HOST: "https://ollama.example" }, "https://ollama.example/v1"],
  ["openai/m", { OPENAI_BASE_URL: " " }, undefined],
])("%s with %j is at %s", (id, env, address) => {
  expect(addressOf(id, env)).toBe(address);
});

test("what a config says wins, and what a variable says is told", () => {
  const env = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1", GEMINI_API_KEY: "k" };
  const guesses: string[] = [];
  const flag = { baseURL: "http://127.0.0.1:2/v1" };
  expect(withUsualVariables(flag, ["openai/m"], env, guesses)).toBe(flag);
  const written = { providers: { openai: { apiKeyEnv: "MINE" } } };
  expect(withUsualVariables(written, ["openai/m"], env, guesses)).toEqual(written);
  expect(guesses).toEqual([]);
  withUsualVariables({}, ["openai/a", "openai/b"], env, guesses);
  expect(guesses).toEqual(["openai: at http://127.0.0.1:1/v1, because OPENAI_BASE_URL is set"]);
});

test("a key under another usual name is used where the provider's own is not set", () => {
  const keyOf = (env: Env) => withUsualVariables({}, ["google/m"], env).providers?.["google"]?.apiKeyEnv;
  expect(keyOf({ GEMINI_API_KEY: "k" })).toBe("GEMINI_API_KEY");
  expect(keyOf({ GEMINI_API_KEY: "k", GOOGLE_GENERATIVE_AI_API_KEY: "own" })).toBeUndefined();
});

test("a variable that is no address is refused with one that is", () => {
  expect(() => addressOf("openai/m", { OPENAI_BASE_URL: "localhost:8080/v1" })).toThrow(
    expect.objectContaining({
      code: "config-invalid",
      hint: "export OPENAI_BASE_URL=http://localhost:8080/v1",
    }),
  );
});

test("another address is given where the present one stands", () => {
  const env = { OPENAI_BASE_URL: "http://127.0.0.1:1" };
  const filled = withUsualVariables({}, ["openai/m"], env);
  expect(giveAddressFor("openai/m", filled, env)("X")).toBe("export OPENAI_BASE_URL=X");
  expect(giveAddressFor("openai/m", { baseURL: "http://h" }, env)("X")).toBe("Give --base-url X");
  expect(giveAddressFor("groq/m", {}, env)("X")).toBe("Give --base-url X");
  const written = { providers: { house: { baseURL: "http://h" } } };
  expect(giveAddressFor("house/m", written, {})("X")).toBe(
    'Set providers.house.baseURL to "X" in the config.',
  );
});

test("an address that is given is for one's own server; a known provider beside it keeps its place and its key", () => {
  const mixed = { target: "llamacpp/mine", optimizer: "openai/gpt-5.4", baseURL: "http://127.0.0.1:9/v1" };
  expect(providersFor("llamacpp/mine", mixed)).toEqual({ llamacpp: { baseURL: mixed.baseURL } });
  expect(providersFor("openai/gpt-5.4", mixed)).toEqual({});
  expect(isOnThisMachine("openai/gpt-5.4", mixed)).toBe(false);
  expect(giveAddressFor("llamacpp/mine", mixed, {})("X")).toBe("Give --base-url X");
  expect(giveAddressFor("openai/gpt-5.4", mixed, {})("X")).toBe(
    'Set providers.openai.baseURL to "X" in the config.',
  );
  const filled = withUsualVariables(mixed, ["openai/gpt-5.4"], { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" });
  expect(filled.providers).toEqual({ openai: { baseURL: "http://127.0.0.1:1/v1" } });
  // a gateway before several
  const gateway = { target: "openai/a", optimizer: "anthropic/b", baseURL: "https://gate.example/v1" };
  expect(providersFor("anthropic/b", gateway)).toEqual({ anthropic: { baseURL: gateway.baseURL } });
});
