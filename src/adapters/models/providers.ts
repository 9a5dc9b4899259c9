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
  /** The server's address, up to and with `/v1`. */
  readonly baseURL?: string;
  /** The name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ResolveModelSettings {
  /** By provider name; a name of your own needs a `baseURL`. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  /** Where keys and the proxy are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long one call may take. @default what the caller says, else 600_000 */
  readonly timeoutMs?: number;
  /** Who sends what the provider's package asks for. @default a fetch with patience */
  readonly fetch?: typeof globalThis.fetch;
  /** How a person gives the provider another address, as a sentence. @default the flag */
  readonly giveAddress?: (address: string) => string;
}

/** `provider/model` → a model that can be called. Says what is missing: a name, a key or a package. */
export async function resolveModel(id: string, settings: ResolveModelSettings): Promise<Model> {
  const { model, secrets, diagnose, host } = await resolveLanguageModel(id, settings);
  const isNear = host !== undefined && isLoopbackHost(host);
  return aiSdkModel(model, { id, secrets, timeoutMs: settings.timeoutMs, diagnose, isNear, host });
}

/** Azure's package makes the address from the name of a resource. */
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
  /** Looks at the server when a call fails. */
  readonly diagnose: Diagnose;
  /** The host that answers; undefined where its address isn't known. */
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
  /** Filled with what must never be printed. */
  readonly secrets: string[];
  readonly fetch: typeof globalThis.fetch | undefined;
}

type Factory = (settings: Record<string, unknown>) => (name: string) => LanguageModelV4;

/** Undefined when the package is missing and the provider can do without it. */
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
    throw new WhetstoneError("peer-missing", `The installed ${peer.package} has no ${peer.create}.`, {
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
    throw new WhetstoneError("config-invalid", `The provider "${provider}" of ${id} is not known.`, {
      hint: `Set providers.${provider}.baseURL to an OpenAI-compatible server, or use one of: ${providerNames.join(", ")}.`,
    });
  }
  const variable = given.apiKeyEnv ?? keyVariableOf(provider);
  // a server of the user's own may want no key, unless they named one
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

/** OpenAI's newer models refuse the old name of the setting, which other servers only know. */
function renameMaxTokens({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return { ...body, max_completion_tokens: max_tokens };
}

// loaded late: a command that calls no model should not pay for it
async function patientFetch(env: ResolveModelSettings["env"]): Promise<typeof globalThis.fetch> {
  return (await import("./patient-fetch.ts")).createPatientFetch(env);
}

function parseModelId(id: string): { readonly provider: string; readonly name: string } {
  const slash = id.indexOf("/");
  if (slash < 1 || slash === id.length - 1) {
    throw new WhetstoneError("config-invalid", `"${id}" is not a model: it has no provider or no name.`, {
      hint: `Write provider/model, such as ${exampleModels.openai.target} or ${exampleModels.ollama.target}.`,
    });
  }
  return { provider: id.slice(0, slash), name: id.slice(slash + 1) };
}

function requireVariable(variable: string, id: string, env: ResolveModelSettings["env"]): string {
  const value = env[variable]?.trim();
  if (value) return value;
  throw new WhetstoneError("config-invalid", `${id} needs the environment variable ${variable}.`, {
    hint: `export ${variable}=… and start the command again.`,
  });
}
