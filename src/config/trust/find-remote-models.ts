import { isLoopbackHost } from "../../adapters/is-loopback-host.ts";
import { endpoints } from "../../adapters/models/endpoints.ts";
import type { Role } from "../../core/ports/model.ts";
import { agentNameOf } from "../resolve/resolve-agents.ts";
import { providersFor } from "../resolve/resolve-model.ts";
import type { Config } from "../schema.ts";

/** The models, by name, that are not known to run on this machine. One given as an object could be anywhere. */
export function findRemoteModels(models: Readonly<Record<Role, string>>, config: Config): readonly string[] {
  return [...new Set(Object.values(models))].filter((id) => !isOnThisMachine(id, config));
}

function isOnThisMachine(id: string, config: Config): boolean {
  const [name = ""] = id.split("/", 1);
  if (name === "handoff") return true;
  const agent = agentNameOf(id, config);
  const address =
    agent === undefined
      ? (providersFor(id, config)[name]?.baseURL ?? endpoints[name]?.baseURL)
      : config.agents?.[agent]?.baseURL;
  return address !== undefined && isLoopbackHost(new URL(address).hostname);
}
