import { resolve } from "node:path";
import { agentClis } from "../../adapters/agents/agents.ts";
import { endpoints, keyVariableOf, peers } from "../../adapters/models/endpoints.ts";
import type { ProviderSettings } from "../../adapters/models/providers.ts";
import { connectAgent } from "../resolve/resolve-agents.ts";
import { providersFor } from "../resolve/resolve-model.ts";
import type { Config } from "../schema.ts";
import type { AskedPower } from "./worker-policy.ts";
import { own } from "../../core/own.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Everything that calls to this model or agent need beyond the vendor's own server and key. */
export async function powersOfModel(id: string, config: Config, env: Env): Promise<readonly AskedPower[]> {
  const [name = ""] = id.split("/", 1);
  const rest = id.slice(name.length + 1);
  const cli = agentClis.get(name);
  const settings = config.agents?.[name];
  if (cli === undefined && settings === undefined) return powersOfProvider(id, config, env);
  const { command, acp, run, mounts = [] } = settings ?? {};
  const [vendor = ""] = cli === undefined ? rest.split("/", 1) : [cli.provider(rest)];
  const server = powersOfServer(vendor, settings ?? {}, env);
  const isElsewhere = server.some(({ kind }) => kind === "host");
  const hasKey = server.some(({ kind }) => kind === "key");
  // a login, or a key that the agent itself keeps, would be sent there too
  const pays = isElsewhere && !hasKey ? await whoPays(id, config, env) : "none";
  return [
    ...server,
    ...(pays === "none" ? [] : [{ kind: "key", value: name } as const]),
    ...[command, acp?.join(" "), run?.join(" ")].flatMap((value) =>
      value === undefined ? [] : [{ kind: "command", value } as const],
    ),
    // files that the command line gives by absolute path are readable inside
    ...mounts.map((value) => ({ kind: "mount", value }) as const),
  ];
}

const whoPays = (id: string, config: Config, env: Env): Promise<"key" | "login" | "none"> =>
  connectAgent(id, config, env).then(
    (upstream) => upstream?.pays ?? "none",
    () => "none",
  );

function powersOfProvider(id: string, config: Config, env: Env): readonly AskedPower[] {
  const [name = ""] = id.split("/", 1);
  const providers = providersFor(id, config);
  return powersOfServer(name, own(providers, name) ?? {}, env);
}

function powersOfServer(
  vendor: string,
  { baseURL, apiKeyEnv }: Pick<ProviderSettings, "baseURL" | "apiKeyEnv">,
  env: Env,
): readonly AskedPower[] {
  const known = own(peers, vendor) ?? own(endpoints, vendor);
  const isElsewhere = baseURL !== undefined && originOf(baseURL) !== originOf(known?.baseURL ?? "");
  const key = apiKeyEnv ?? keyVariableOf(vendor);
  const isKeySent = apiKeyEnv !== undefined || Boolean(env[key]);
  const isOwnKey = key === known?.apiKeyEnv && !isElsewhere;
  return [
    ...(isElsewhere ? [{ kind: "host", value: baseURL } as const] : []),
    ...(isKeySent && !isOwnKey ? [{ kind: "key", value: key } as const] : []),
  ];
}

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/** The files whose code runs in the worker itself. */
export function powersOfCode(
  { environment }: Config,
  scorers: readonly string[],
  cwd: string,
): readonly AskedPower[] {
  const places = [...(typeof environment === "string" ? [environment] : []), ...scorers];
  return places.map((place) => ({ kind: "module", value: resolve(cwd, place.split("#", 1)[0] ?? "") }));
}
