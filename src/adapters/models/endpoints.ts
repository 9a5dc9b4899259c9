import { own } from "../../core/own.ts";

/** A hosted or local server that supports OpenAI chat completions. */
export interface Endpoint {
  readonly baseURL: string;
  /** The variable that contains the key; local servers don't need one. */
  readonly apiKeyEnv?: string;
  /** The command that starts the server, if people run it themselves. */
  readonly start?: string;
  /** The command that loads a model there; the model's name follows. */
  readonly load?: string;
}

/** Known servers by provider name. `providers.<name>.baseURL` in the settings adds others. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  cerebras: { baseURL: "https://api.cerebras.ai/v1", apiKeyEnv: "CEREBRAS_API_KEY" },
  dashscope: {
    baseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    apiKeyEnv: "DASHSCOPE_API_KEY",
  },
  deepinfra: { baseURL: "https://api.deepinfra.com/v1/openai", apiKeyEnv: "DEEPINFRA_API_KEY" },
  deepseek: { baseURL: "https://api.deepseek.com/v1", apiKeyEnv: "DEEPSEEK_API_KEY" },
  fireworks: { baseURL: "https://api.fireworks.ai/inference/v1", apiKeyEnv: "FIREWORKS_API_KEY" },
  groq: { baseURL: "https://api.groq.com/openai/v1", apiKeyEnv: "GROQ_API_KEY" },
  llamacpp: { baseURL: "http://localhost:8080/v1", start: "llama-server -m <model.gguf>" },
  lmstudio: { baseURL: "http://localhost:1234/v1", start: "lms server start", load: "lms load" },
  minimax: { baseURL: "https://api.minimax.io/v1", apiKeyEnv: "MINIMAX_API_KEY" },
  mistral: { baseURL: "https://api.mistral.ai/v1", apiKeyEnv: "MISTRAL_API_KEY" },
  moonshot: { baseURL: "https://api.moonshot.ai/v1", apiKeyEnv: "MOONSHOT_API_KEY" },
  nvidia: { baseURL: "https://integrate.api.nvidia.com/v1", apiKeyEnv: "NVIDIA_API_KEY" },
  ollama: { baseURL: "http://localhost:11434/v1", start: "ollama serve", load: "ollama pull" },
  openai: { baseURL: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" },
  openrouter: { baseURL: "https://openrouter.ai/api/v1", apiKeyEnv: "OPENROUTER_API_KEY" },
  perplexity: { baseURL: "https://api.perplexity.ai", apiKeyEnv: "PERPLEXITY_API_KEY" },
  qwen: {
    baseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    apiKeyEnv: "DASHSCOPE_API_KEY",
  },
  together: { baseURL: "https://api.together.xyz/v1", apiKeyEnv: "TOGETHER_API_KEY" },
  vllm: { baseURL: "http://localhost:8000/v1", start: "vllm serve <model>" },
  xai: { baseURL: "https://api.x.ai/v1", apiKeyEnv: "XAI_API_KEY" },
};

/** Whether its name means that people run it themselves. */
export const isStartedByHand = (provider: string): boolean => own(endpoints, provider)?.start !== undefined;

/** A provider with its own protocol, in an optional package that is loaded on demand. */
export interface Peer {
  readonly package: string;
  /** The name of the package's factory function. */
  readonly create: string;
  readonly apiKeyEnv: string;
  /** Always passed, so that the package doesn't read the environment itself. */
  readonly baseURL?: string;
  /** More settings for the factory, by the variable that contains each. */
  readonly required?: Readonly<Record<string, string>>;
}

export const peers: Readonly<Record<string, Peer>> = {
  anthropic: {
    package: "@ai-sdk/anthropic",
    create: "createAnthropic",
    apiKeyEnv: "ANTHROPIC_API_KEY",
    baseURL: "https://api.anthropic.com/v1",
  },
  azure: {
    package: "@ai-sdk/azure",
    create: "createAzure",
    apiKeyEnv: "AZURE_API_KEY",
    required: { resourceName: "AZURE_RESOURCE_NAME" },
  },
  google: {
    package: "@ai-sdk/google",
    create: "createGoogleGenerativeAI",
    apiKeyEnv: "GOOGLE_GENERATIVE_AI_API_KEY",
    baseURL: "https://generativelanguage.googleapis.com/v1beta",
  },
  openai: {
    package: "@ai-sdk/openai",
    create: "createOpenAI",
    apiKeyEnv: "OPENAI_API_KEY",
    baseURL: "https://api.openai.com/v1",
  },
};

/** The variable for a provider's key, or the one it would have if it isn't known: `VLLM_API_KEY`. */
export const keyVariableOf = (provider: string): string =>
  own(peers, provider)?.apiKeyEnv ??
  own(endpoints, provider)?.apiKeyEnv ??
  `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;

/** The address of a provider's server; undefined if it can't be known, as with Azure before a resource is named. */
export const addressOf = (
  provider: string,
  given: Readonly<Record<string, { readonly baseURL?: string | undefined }>> | undefined,
): string | undefined =>
  own(given, provider)?.baseURL ?? own(endpoints, provider)?.baseURL ?? own(peers, provider)?.baseURL;

/** Every provider that can be named without a server address. */
export const providerNames: readonly string[] = [
  ...new Set([...Object.keys(peers), ...Object.keys(endpoints)]),
].toSorted();
