import { agentClis } from "../../adapters/agents/agents.ts";
import { isPostgresAddress } from "../../adapters/journals/postgres/postgres-connection.ts";
import { endpoints, keyVariableOf, peers } from "../../adapters/models/endpoints.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import { defaultRedis } from "../../adapters/fleet/open-redis.ts";
import { agentNameOf } from "../resolve/agent-name.ts";
import { type ModelChoice, modelId, providersFor } from "../resolve/resolve-model.ts";
import { chooseModels } from "../resolve/resolve-models.ts";
import { withUsualVariables } from "../resolve/usual-variables.ts";
import type { Config } from "../schema.ts";
import { own } from "../../core/own.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** By host: the environment variables whose values are sent there as keys, whether or not they are set. */
export type Destinations = Readonly<Record<string, readonly string[]>>;

/** Every destination a config would send data to. For a model made in code, that's up to the code. */
export function findDestinations(written: Config, env: Env): Destinations {
  const choices = chosen(written, env);
  const config = withUsualVariables(written, choices.map(modelId), env);
  const found = new Map<string, Set<string>>();
  const addHost = (host: string, variables: readonly (string | undefined)[]): void => {
    const names = found.get(host) ?? new Set();
    for (const variable of variables) if (variable !== undefined) names.add(variable);
    found.set(host, names);
  };
  const add = (address: string | undefined, variables: readonly (string | undefined)[] = []): void => {
    const host = address === undefined ? "" : new URL(address).host;
    // a local socket has no host
    if (host !== "") addHost(host, variables);
  };
  for (const choice of choices) {
    if (typeof choice !== "string" || isHandoff(choice)) continue;
    const { addresses, variables } = serverOf(choice, config, env);
    for (const address of addresses) add(address, variables);
  }
  for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"])
    if (URL.canParse(env[name] ?? "")) add(env[name]);
  const { journal, redis = defaultRedis } = config;
  const database = isPostgresAddress(journal ?? "") ? journal : undefined;
  const stores = findStores({ ...config, redis, journal: database });
  for (const [host, variables] of Object.entries(stores)) addHost(host, variables);
  return Object.fromEntries(
    [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([host, names]) => [host, [...names].toSorted()]),
  );
}

/** The journal and queue of a config. Commands connect to them or trust the folder, even commands that only look. */
export function findStores({
  journal = "",
  executor,
  redis,
}: Pick<Config, "journal" | "executor" | "redis">): Destinations {
  const database = isPostgresAddress(journal) ? storeOf(journal) : undefined;
  const queue = executor === "bullmq" && redis !== undefined ? storeOf(redis) : undefined;
  // if the address has none, the driver takes it from the environment
  const variables = database?.hasPassword === false ? ["PGPASSWORD"] : [];
  const folder = journal === "" || isPostgresAddress(journal) ? [] : [[journal, []] as const];
  return Object.fromEntries([
    ...folder,
    ...(queue?.hosts ?? []).map((host) => [host, []]),
    ...(database?.hosts ?? []).map((host) => [host, variables]),
  ]);
}

/** Drivers also accept a host, port or socket in the query, so any of those could be the one we reach. */
function storeOf(address: string): { readonly hosts: readonly string[]; readonly hasPassword: boolean } {
  const url = URL.parse(address);
  if (url === null)
    throw new WhetstoneError("config-invalid", "The address of the journal or of Redis can't be read.", {
      hint: "Write it as postgres://user@host:port/database, or redis://host:port.",
    });
  const { hostname, host, port, password, searchParams } = url;
  const named = (name: string) => searchParams.getAll(name);
  const ports = named("port").length === 0 ? [port] : named("port");
  const others = [...named("host"), ...(named("port").length === 0 ? [] : [hostname])];
  const hosts = [
    host || "localhost",
    ...others.flatMap((one) => ports.map((at) => (at === "" ? one : `${one}:${at}`))),
    ...named("path"),
  ];
  return { hosts: [...new Set(hosts)], hasPassword: password !== "" };
}

/** If no model is named and none can be guessed, nothing is sent. */
function chosen(config: Config, env: Env): readonly ModelChoice[] {
  try {
    return Object.values(chooseModels(config, { env }, []));
  } catch (error) {
    if (error instanceof WhetstoneError) return [];
    throw error;
  }
}

/** The host of a model that isn't at its vendor's address; undefined if it is, or if it has none. */
export function foreignHost(id: string, config: Config): string | undefined {
  if (isHandoff(id)) return undefined;
  const { own } = serverOf(id, config, {});
  const [usual] = serverOf(
    id,
    { ...config, baseURL: undefined, providers: {}, agents: withoutPlaces(config) },
    {},
  ).addresses;
  if (own === undefined) return undefined;
  const { host } = new URL(own);
  return usual !== undefined && new URL(usual).host === host ? undefined : host;
}

const withoutPlaces = ({ agents = {} }: Config): Config["agents"] =>
  Object.fromEntries(Object.keys(agents).map((name) => [name, {}]));

interface Server {
  readonly addresses: readonly string[];
  readonly variables: readonly (string | undefined)[];
  /** The address in the config, if there is one. */
  readonly own: string | undefined;
}

function serverOf(id: string, config: Config, env: Env): Server {
  const agent = agentNameOf(id, config);
  const settings = agent === undefined ? {} : (config.agents?.[agent] ?? {});
  const { baseURL, apiKeyEnv } = settings;
  const vendor = agentClis.get(agent ?? "")?.vendor;
  if (vendor !== undefined) {
    const [first, ...others] = vendor.variables;
    return {
      addresses: baseURL === undefined ? vendor.addresses : [baseURL],
      variables: [apiKeyEnv ?? first, ...others],
      own: baseURL,
    };
  }
  const model = agent === undefined ? id : id.slice(agent.length + 1);
  const [provider = ""] = model.split("/", 1);
  const given = agent === undefined ? (own(providersFor(model, config), provider) ?? {}) : settings;
  const known = own(peers, provider) ?? own(endpoints, provider);
  // a server known to need no key still gets one if somebody set it
  const possible = keyVariableOf(provider);
  const azure = env["AZURE_RESOURCE_NAME"];
  const usual =
    known?.baseURL ??
    (provider === "azure" && azure !== undefined ? `https://${azure}.openai.azure.com` : undefined);
  const address = given.baseURL ?? (agent !== undefined && model === "default" ? undefined : usual);
  return {
    addresses: address === undefined ? [] : [address],
    variables: [given.apiKeyEnv ?? known?.apiKeyEnv ?? (env[possible] ? possible : undefined)],
    own: given.baseURL,
  };
}
