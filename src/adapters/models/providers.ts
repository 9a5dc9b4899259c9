import type { LanguageModelV4 } from "@ai-sdk/provider";
import { WhetstoneError } from "../../core/errors.ts";
import type { Model } from "../../core/ports/model.ts";
import { answeringHost, isLoopbackHost } from "../is-loopback-host.ts";
import { exampleModels } from "./example-models.ts";
import { installStep, loadPeer } from "../load-peer.ts";
import { type Diagnose, aiSdkModel } from "./ai-sdk.ts";
import { type Peer, addressOf, endpoints, keyVariableOf, peers, providerNames } from "./endpoints.ts";
import type { ServerPlace } from "./server-place.ts";
import { own } from "../../core/own.ts";

export interface ProviderSettings {
  /** The server's address, including `/v1`. */
  readonly baseURL?: string;
  /** The name of the environment variable that contains the key. */
  readonly apiKeyEnv?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ResolveModelSettings {
  /** By provider name; your own names need a `baseURL`. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  /** The environment with keys and the proxy. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time limit for one call. @default the caller's, else 600_000 */
  readonly timeoutMs?: number;
  /** Sends requests for the provider's package. @default a fetch without Node's own time limit */
  readonly fetch?: typeof globalThis.fetch;
  /** A sentence that says how to give the provider another address. @default the flag */
  readonly giveAddress?: (address: string) => string;
}

/** `provider/model` → a model that can be called. Reports a missing name, key or package. */
export async function resolveModel(id: string, settings: ResolveModelSettings): Promise<Model> {
  const { model, secrets, diagnose, host } = await resolveLanguageModel(id, settings);
  const isNear = host !== undefined && isLoopbackHost(host);
  return aiSdkModel(model, { id, secrets, timeoutMs: settings.timeoutMs, diagnose, isNear, host });
}

/** Azure's package builds the address from the resource name. */
function serverHost(
  provider: string,
  { providers, env }: Pick<ResolveModelSettings, "providers" | "env">,
): string | undefined {
  const resource = provider === "azure" ? env["AZURE_RESOURCE_NAME"]?.trim() : undefined;
  const address = addressOf(provider, providers);
  if (address !== undefined) return answeringHost(address);
  return resource ? `${resource}.openai.azure.com` : undefined;
}

export interface ResolvedLanguageModel {
  readonly model: LanguageModelV4;
  /** Values that must not appear in a message. */
  readonly secrets: readonly string[];
  /** Checks the server when a call fails. */
  readonly diagnose: Diagnose;
  /** The host that answers; undefined if its address isn't known. */
  readonly host: string | undefined;
}

/** The same as the AI SDK's own object. */
export async function resolveLanguageModel(
  id: string,
  settings: ResolveModelSettings,
): Promise<ResolvedLanguageModel> {
  const { provider, name } = parseModelId(id);
  const given = own(settings.providers, provider) ?? {};
  const peer = own(peers, provider);
  const secrets: string[] = Object.values(given.headers ?? {});
  const create = { id, provider, name, given, env: settings.env, secrets, fetch: settings.fetch };
  const model =
    (peer !== undefined && !(provider === "openai" && given.baseURL !== undefined)
      ? await createFromPeer(create, peer)
      : undefined) ?? (await createFromEndpoint(create));
  const diagnose: Diagnose = async (failure, signal) => {
    const place = await placeOf(create, settings);
    return place && (await import("./diagnose-server.ts")).diagnoseServer(failure, place, signal);
  };
  return { model, secrets, diagnose, host: serverHost(provider, settings) };
}

async function placeOf(
  { provider, name, given, env }: Creation,
  { providers, giveAddress = (address) => `Give --base-url ${address}` }: ResolveModelSettings,
): Promise<ServerPlace | undefined> {
  const baseURL = addressOf(provider, providers);
  if (baseURL === undefined) return undefined;
  const keyVariable = given.apiKeyEnv ?? keyVariableOf(provider);
  const key = env[keyVariable]?.trim();
  return {
    provider,
    name,
    baseURL,
    added: provider === "azure" ? "/v1" : "",
    headers: { ...(key ? (keyHeaders[provider] ?? bearer)(key) : {}), ...given.headers },
    keyVariable,
    env,
    giveAddress,
    fetch: await patientFetch(env),
  };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keyHeaders: Readonly<Record<string, (key: string) => Record<string, string>>> = {
  anthropic: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  azure: (key) => ({ "api-key": key }),
  google: (key) => ({ "x-goog-api-key": key }),
};

interface Creation {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly given: ProviderSettings;
  readonly env: ResolveModelSettings["env"];
  /** Receives every value that must never be printed. */
  readonly secrets: string[];
  readonly fetch: typeof globalThis.fetch | undefined;
}

type Factory = (settings: Record<string, unknown>) => (name: string) => LanguageModelV4;

/** Undefined if the package is missing and the provider doesn't need it. */
async function createFromPeer(creation: Creation, peer: Peer): Promise<LanguageModelV4 | undefined> {
  const { id, provider, name, given, env, secrets } = creation;
  const apiKey = requireVariable(given.apiKeyEnv ?? peer.apiKeyEnv, id, env);
  secrets.push(apiKey);
  const baseURL = given.baseURL ?? peer.baseURL;
  const required = Object.entries(baseURL === undefined ? (peer.required ?? {}) : {});
  const others = required.map(([setting, variable]) => [setting, requireVariable(variable, id, env)]);
  let loaded: Record<string, Factory>;
  try {
    loaded = await loadPeer<Record<string, Factory>>(peer.package);
  } catch (error) {
    const missing = error instanceof WhetstoneError && error.code === "peer-missing";
    if (missing && Object.hasOwn(endpoints, provider)) return undefined;
    throw error;
  }
  const factory = loaded[peer.create];
  if (factory === undefined) {
    throw new WhetstoneError("peer-missing", `The installed ${peer.package} doesn't export ${peer.create}.`, {
      hint: installStep([`${peer.package}@latest`]),
    });
  }
  return factory({
    apiKey,
    baseURL,
    ...Object.fromEntries(others),
    ...(given.headers === undefined ? {} : { headers: given.headers }),
    fetch: creation.fetch ?? (await patientFetch(env)),
  })(name);
}

async function createFromEndpoint(creation: Creation): Promise<LanguageModelV4> {
  const { id, provider, name, given, env, secrets } = creation;
  const known = own(endpoints, provider);
  const baseURL = given.baseURL ?? known?.baseURL;
  if (baseURL === undefined) {
    throw new WhetstoneError("config-invalid", `Unknown provider "${provider}" in ${id}.`, {
      hint: `Set providers.${provider}.baseURL to an OpenAI-compatible server, or use one of: ${providerNames.join(", ")}.`,
    });
  }
  const variable = given.apiKeyEnv ?? keyVariableOf(provider);
  // the user's own server may not need a key, unless they named one
  const isOptional =
    given.apiKeyEnv === undefined && (given.baseURL !== undefined || known?.apiKeyEnv === undefined);
  const apiKey = isOptional && !env[variable]?.trim() ? undefined : requireVariable(variable, id, env);
  if (apiKey !== undefined) secrets.push(apiKey);
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const create = createOpenAICompatible({
    name: provider,
    baseURL: baseURL.replace(/\/+$/, ""),
    apiKey,
    ...(given.headers === undefined ? {} : { headers: { ...given.headers } }),
    ...(baseURL === endpoints["openai"]?.baseURL ? { transformRequestBody: renameMaxTokens } : {}),
    fetch: creation.fetch ?? (await patientFetch(env)),
  });
  return create(name);
}

/** OpenAI's newer models refuse the setting's old name, and other servers only know that one. */
function renameMaxTokens({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return { ...body, max_completion_tokens: max_tokens };
}

// loaded late, so that a command that calls no model doesn't pay for it
async function patientFetch(env: ResolveModelSettings["env"]): Promise<typeof globalThis.fetch> {
  return (await import("./patient-fetch.ts")).createPatientFetch(env);
}

function parseModelId(id: string): { readonly provider: string; readonly name: string } {
  const slash = id.indexOf("/");
  if (slash < 1 || slash === id.length - 1) {
    throw new WhetstoneError("config-invalid", `"${id}" isn't a model: provider or name is missing.`, {
      hint: `Write provider/model, such as ${exampleModels.openai.target} or ${exampleModels.ollama.target}.`,
    });
  }
  return { provider: id.slice(0, slash), name: id.slice(slash + 1) };
}

function requireVariable(variable: string, id: string, env: ResolveModelSettings["env"]): string {
  const value = env[variable]?.trim();
  if (value) return value;
  throw new WhetstoneError("config-invalid", `${id} needs the environment variable ${variable}.`, {
    hint: `export ${variable}=… and run the command again.`,
  });
}
