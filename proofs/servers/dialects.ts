/** What a server says: a status, a body (JSON, or a text as it is) and its type. */
export interface Said {
  readonly status: number;
  readonly body: object | string;
}

/** How one kind of server speaks beside the calls that go well: its paths, its list of models, its refusals. */
export interface Dialect {
  readonly name: string;
  /** What a person writes before the model's name. */
  readonly provider: string;
  /** Where its API is. */
  readonly prefix: string;
  readonly small: string;
  readonly large: string;
  /** Without it any key goes. */
  readonly key?: string;
  readonly keyRefused: Said;
  readonly list: (names: readonly string[]) => object;
  /** Undefined where it answers whatever it is asked for. */
  readonly missing?: (name: string) => Said;
  readonly nothingThere: (method: string, path: string) => Said;
}

const openAiList = (names: readonly string[]): object => ({
  object: "list",
  data: names.map((id) => ({ id, object: "model", created: 1_767_225_600, owned_by: "owner" })),
});

/** As their sources, documents and the threads of their users show them in 2024 to 2026. */
export const dialects = {
  llamaCpp: {
    name: "llama.cpp",
    provider: "llamacpp",
    prefix: "/v1",
    small: "qwen-small.gguf",
    large: "qwen-large.gguf",
    keyRefused: {
      status: 401,
      body: { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } },
    },
    list: (names) => ({
      models: names.map((name) => ({ name, model: name, type: "model", capabilities: ["completion"] })),
      ...openAiList(names),
    }),
    nothingThere: () => ({
      status: 404,
      body: { error: { code: 404, message: "File Not Found", type: "not_found_error" } },
    }),
  },
  ollama: {
    name: "Ollama",
    provider: "ollama",
    prefix: "/v1",
    small: "llama-small:latest",
    large: "llama-large:latest",
    keyRefused: { status: 401, body: { error: "unauthorized" } },
    list: openAiList,
    missing: (name) => ({
      status: 404,
      body: {
        error: {
          message: `model "${name}" not found, try pulling it first`,
          type: "api_error",
          param: null,
          code: null,
        },
      },
    }),
    nothingThere: () => ({ status: 404, body: "404 page not found" }),
  },
  vllm: {
    name: "vLLM",
    provider: "vllm",
    prefix: "/v1",
    small: "Qwen/Qwen3-small",
    large: "Qwen/Qwen3-large",
    keyRefused: { status: 401, body: { error: "Unauthorized" } },
    list: (names) => ({
      object: "list",
      data: names.map((id) => ({ id, object: "model", owned_by: "vllm", root: id, max_model_len: 32_768 })),
    }),
    missing: (name) => ({
      status: 404,
      body: {
        object: "error",
        message: `The model \`${name}\` does not exist.`,
        type: "NotFoundError",
        param: null,
        code: 404,
      },
    }),
    nothingThere: () => ({ status: 404, body: { detail: "Not Found" } }),
  },
  lmStudio: {
    name: "LM Studio",
    provider: "lmstudio",
    prefix: "/v1",
    small: "gemma-small",
    large: "gemma-large",
    keyRefused: {
      status: 401,
      body: { error: { message: "Invalid API token", type: "invalid_request_error" } },
    },
    list: (names) => openAiList([...names, "text-embedding-nomic-embed-text-v1.5"]),
    missing: (name) => ({
      status: 404,
      body: {
        error: {
          message: `Model "${name}" not found. Please specify a valid downloaded model.`,
          type: "invalid_request_error",
          param: "model",
          code: "model_not_found",
        },
      },
    }),
    // it answers 200 whatever it is asked for
    nothingThere: (method, path) => ({
      status: 200,
      body: { error: `Unexpected endpoint or method. (${method} ${path})` },
    }),
  },
  openRouter: {
    name: "OpenRouter",
    provider: "openrouter",
    prefix: "/api/v1",
    small: "vendor/model-small-4.6",
    large: "vendor/model-large-4.6",
    keyRefused: { status: 401, body: { error: { message: "No auth credentials found", code: 401 } } },
    list: (names) => ({
      data: [...Array.from({ length: 300 }, (_, nth) => `other/model-${nth}`), ...names].map((id) => ({
        id,
        name: id,
        pricing: { prompt: "0.0000001", completion: "0.0000004" },
      })),
    }),
    missing: (name) => ({
      status: 400,
      body: { error: { message: `${name} is not a valid model ID`, code: 400 }, user_id: "user_2x7" },
    }),
    nothingThere: () => ({
      status: 404,
      body: "<!DOCTYPE html><html><head><title>Not Found | OpenRouter</title></head><body>This page could not be found.</body></html>",
    }),
  },
  azure: {
    name: "Azure",
    provider: "foundry",
    prefix: "/openai/v1",
    small: "our-small",
    large: "our-large",
    keyRefused: {
      status: 401,
      body: {
        error: {
          code: "401",
          message:
            "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
        },
      },
    },
    // what could be deployed, not what is
    list: () => openAiList(["gpt-4o", "gpt-4o-mini", "text-embedding-3-large"]),
    missing: () => ({
      status: 404,
      body: {
        error: {
          code: "DeploymentNotFound",
          message:
            "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
        },
      },
    }),
    nothingThere: () => ({ status: 404, body: { error: { code: "404", message: "Resource not found" } } }),
  },
} satisfies Readonly<Record<string, Dialect>>;
