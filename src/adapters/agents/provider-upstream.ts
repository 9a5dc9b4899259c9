import { InfraError, WhetstoneError } from "../../core/errors.ts";
import { endpoints, peers } from "../models/endpoints.ts";
import { exampleModels } from "../models/example-models.ts";
import type { CliHost, Upstream } from "./agent-cli.ts";
import { recordAt, textAt } from "./event-fields.ts";
import { readJsonFile } from "./login.ts";
import { own } from "../../core/own.ts";

/** An agent that can use any provider is named with one: `opencode/openai/gpt-5.4-nano`. */
export interface ProviderModel {
  readonly provider: string;
  readonly name: string;
  /** The protocol used through the proxy. */
  readonly protocol: "anthropic-messages" | "openai-responses" | "openai-chat";
}

export function parseProviderModel(model: string): ProviderModel {
  const slash = model.indexOf("/");
  if (slash < 1 || slash === model.length - 1) {
    throw new WhetstoneError("config-invalid", `"${model}" doesn't name a provider.`, {
      hint: `Write agent/provider/model, such as opencode/${exampleModels.openai.target}.`,
    });
  }
  const [provider, name] = [model.slice(0, slash), model.slice(slash + 1)];
  return { provider, name, protocol: protocols.get(provider) ?? "openai-chat" };
}

const protocols: ReadonlyMap<string, ProviderModel["protocol"]> = new Map([
  ["anthropic", "anthropic-messages"],
  ["openai", "openai-responses"],
]);

/**
 * The provider's server with the environment's key, else with the one the agent keeps in `authFile`. We don't use a
 * subscription's login there, because these agents can't share theirs.
 */
export async function connectProvider(
  host: CliHost,
  agent: { login: string; authFile: string },
): Promise<Upstream> {
  const { env, settings } = host;
  const { provider, protocol } = parseProviderModel(host.model);
  const known = protocol === "anthropic-messages" ? peers["anthropic"] : own(endpoints, provider);
  const baseURL = settings.baseURL ?? known?.baseURL;
  if (baseURL === undefined) {
    const names = ["anthropic", ...Object.keys(endpoints)].toSorted().join(", ");
    throw new WhetstoneError("config-invalid", `Unknown provider "${provider}" in ${host.model}.`, {
      hint: `Set a baseURL for this agent, or use one of: ${names}.`,
    });
  }
  const variable = settings.apiKeyEnv ?? known?.apiKeyEnv;
  const key = env[variable ?? ""]?.trim() || (await readStoredKey(agent.authFile, provider, env));
  if (key === undefined) {
    // the user's own server may not need a key, unless they named one
    const isOpen =
      variable === undefined || (settings.baseURL !== undefined && settings.apiKeyEnv === undefined);
    if (isOpen) return { baseURL, pays: "none", headers: () => Promise.resolve({}) };
    throw new InfraError("refused", `No key for ${provider}: set ${variable} or run \`${agent.login}\`.`);
  }
  const headers: Readonly<Record<string, string>> =
    protocol === "anthropic-messages" ? { "x-api-key": key } : { authorization: `Bearer ${key}` };
  return { baseURL, pays: "key", headers: () => Promise.resolve(headers) };
}

/** Both agents keep `{ <provider>: { type, key } }`. A key may be a variable's name, or a command (never run). */
async function readStoredKey(
  path: string,
  provider: string,
  env: CliHost["env"],
): Promise<string | undefined> {
  const stored = recordAt(await readJsonFile(path), provider);
  const key = textAt(stored, "key");
  if (!["api", "api_key"].includes(textAt(stored, "type")) || key === "" || key.startsWith("!"))
    return undefined;
  return env[key]?.trim() || key;
}
