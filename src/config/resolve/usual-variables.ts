import { endpoints, isStartedByHand, peers } from "../../adapters/models/endpoints.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { handoffProvider } from "../../core/work/handoff.ts";
import type { Config } from "../schema.ts";
import { agentNameOf } from "./agent-name.ts";
import { own } from "../../core/own.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A variable that a provider's own tools also read. */
interface Usual {
  readonly address?: string;
  /** Turns the value people write there into the API's address. */
  readonly complete?: (value: string) => string;
  /** Used if the provider's own variable isn't set. */
  readonly keys?: readonly string[];
}

const usual: Readonly<Record<string, Usual>> = {
  anthropic: { address: "ANTHROPIC_BASE_URL", complete: (value) => endingIn("/v1", value) },
  azure: {
    address: "AZURE_OPENAI_ENDPOINT",
    complete: (value) => endingIn("/openai", value.replace(/\/v1\/?$/, "")),
    keys: ["AZURE_OPENAI_API_KEY"],
  },
  google: { keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"] },
  ollama: { address: "OLLAMA_HOST", complete: readOllamaHost },
  openai: { address: "OPENAI_BASE_URL" },
};

/** Variables that name a host. An unattended run needs consent for it. */
export const addressVariables: readonly string[] = Object.values(usual).flatMap(
  ({ address = [] }) => address,
);

/**
 * Fills in addresses and keys for these models' providers from variables that other tools also read. Values in
 * a config or a flag win.
 */
export function withUsualVariables(
  config: Config,
  ids: readonly string[],
  env: Env,
  guesses: string[] = [],
): Config {
  const providers = { ...config.providers };
  for (const provider of new Set(ids.flatMap((id) => providerOf(id, config)))) {
    if (Object.hasOwn(providers, provider) || isAtBaseURL(provider, config)) continue;
    const place = readVariable(provider, env);
    const known = knownOf(provider);
    const keys = own(usual, provider)?.keys ?? [];
    const key = env[known?.apiKeyEnv ?? ""]?.trim() ? undefined : keys.find((name) => env[name]?.trim());
    if (place !== undefined)
      guesses.push(`${provider}: at ${place.address}, because ${place.variable} is set`);
    if (place === undefined && key === undefined) continue;
    providers[provider] = {
      ...(place === undefined ? {} : { baseURL: place.address }),
      ...(key === undefined ? {} : { apiKeyEnv: key }),
    };
  }
  return Object.keys(providers).length === 0 ? config : { ...config, providers };
}

/**
 * Whether `baseURL` is this provider's address. It's for servers without a public address of their own. If one of the
 * config's models is on such a server, keys and prompts for a known provider stay with that provider.
 */
export function isAtBaseURL(provider: string, config: Config): boolean {
  if (config.baseURL === undefined || Object.hasOwn(config.providers ?? {}, provider)) return false;
  return isOnesOwn(provider) || !namedProviders(config).some(isOnesOwn);
}

const namedProviders = (config: Config): readonly string[] =>
  [config.target, config.optimizer, config.judge, config.miner].flatMap((model) =>
    typeof model === "string" ? providerOf(model, config) : [],
  );

/** A self-hosted server, or an unknown one. */
const isOnesOwn = (provider: string): boolean =>
  provider !== handoffProvider && (isStartedByHand(provider) || knownOf(provider) === undefined);

/** How to give a model's provider another address, depending on where the current one comes from. */
export function giveAddressFor(id: string, config: Config, env: Env): (address: string) => string {
  const [provider = ""] = providerOf(id, config);
  const written = own(config.providers ?? {}, provider);
  if (written === undefined && isAtBaseURL(provider, { ...config, baseURL: "" }))
    return (address) => `Give --base-url ${address}`;
  const { variable, address: standing } = readVariable(provider, env) ?? {};
  return variable !== undefined && standing === written?.baseURL
    ? (address) => `export ${variable}=${address}`
    : (address) => `Set providers.${provider}.baseURL to "${address}" in the config.`;
}

/** An unknown provider has no other address. */
function readVariable(
  provider: string,
  env: Env,
): { readonly variable: string; readonly address: string } | undefined {
  const isKnown = knownOf(provider) !== undefined;
  const { address: variable, complete = (value: string) => value } =
    own(usual, isKnown ? provider : "openai") ?? {};
  const value = env[variable ?? ""]?.trim();
  if (variable === undefined || !value) return undefined;
  const address = complete(value).replace(/\/+$/, "");
  if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address)) {
    throw new WhetstoneError(
      "config-invalid",
      `${variable} is "${value}", which isn't an http or https address.`,
      {
        hint: `export ${variable}=http://${value.replace(/^\w+:\/\//, "")}`,
      },
    );
  }
  return address === knownOf(provider)?.baseURL ? undefined : { variable, address };
}

/** Agents don't use these addresses. */
const providerOf = (id: string, config: Config): readonly string[] =>
  agentNameOf(id, config) === undefined ? id.split("/", 1) : [];

/** `host`, `host:port` or a whole address. A server that listens on all interfaces is called on this machine. */
function readOllamaHost(value: string): string {
  const whole = /^https?:\/\//.test(value) ? value : `http://${value.replace(/^:/, "127.0.0.1:")}`;
  if (!URL.canParse(whole)) return value;
  const url = new URL(whole);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (url.port === "" && url.protocol === "http:") url.port = "11434";
  return endingIn("/v1", url.href);
}

const endingIn = (end: string, value: string): string => {
  const plain = value.replace(/\/+$/, "");
  return plain.endsWith(end) ? plain : `${plain}${end}`;
};

const knownOf = (provider: string) => own(peers, provider) ?? own(endpoints, provider);
