import { isPostgresAddress } from "../../adapters/journals/postgres/postgres-connection.ts";
import { fleetPackages } from "../../adapters/fleet/open-redis.ts";
import { requirePeers } from "../../adapters/load-peer.ts";
import { endpoints, peers } from "../../adapters/models/endpoints.ts";
import type { Role } from "../../core/ports/model.ts";
import { guessModels } from "../guess.ts";
import type { Config } from "../schema.ts";
import { agentNameOf } from "./agent-name.ts";
import { own } from "../../core/own.ts";

/** Optional packages that a run loads. Some of them aren't required. Telemetry reports its own. */
export interface UsedPeer {
  readonly name: string;
  readonly isNeeded: boolean;
}

export const usedPeers = (
  ids: readonly string[],
  { journal, executor, offline, agents }: Config,
): readonly UsedPeer[] => [
  ...(offline === true ? [] : ids.flatMap((id) => peersOf(id, { agents }))),
  ...(journal !== undefined && isPostgresAddress(journal) ? [needed("pg")] : []),
  ...(executor === "bullmq" && offline !== true ? fleetPackages.map(needed) : []),
];

/** Refuses a run before anything is opened, and lists every package it lacks. */
export function requireUsedPeers(
  config: Config,
  {
    env,
    roles,
  }: { readonly env: Readonly<Record<string, string | undefined>>; readonly roles: readonly Role[] },
): void {
  const guessed =
    config.target === undefined && config.optimizer === undefined ? guessModels(env) : undefined;
  const named = { ...guessed, ...config };
  const ids = roles.map((role) => named[role]).filter((choice) => typeof choice === "string");
  requirePeers(usedPeers(ids, config).flatMap(({ name, isNeeded }) => (isNeeded ? [name] : [])));
}

function peersOf(id: string, config: Pick<Config, "agents">): readonly UsedPeer[] {
  const agent = agentNameOf(id, config);
  if (agent !== undefined)
    return config.agents?.[agent]?.acp === undefined ? [] : [needed("@agentclientprotocol/sdk")];
  const [provider = ""] = id.split("/", 1);
  const peer = own(peers, provider);
  // providers with their own endpoint don't need a package
  return peer === undefined ? [] : [{ name: peer.package, isNeeded: !Object.hasOwn(endpoints, provider) }];
}

const needed = (name: string): UsedPeer => ({ name, isNeeded: true });
