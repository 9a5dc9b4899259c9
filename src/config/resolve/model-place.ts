import { isLoopback } from "../../adapters/is-loopback-host.ts";
import { addressOf } from "../../adapters/models/endpoints.ts";
import { freePrice, isPriceGiven, priceOf } from "../../adapters/models/prices.ts";
import { handoffProvider } from "../../core/work/handoff.ts";
import type { Price } from "../../core/work/price.ts";
import type { Config } from "../schema.ts";
import { agentNameOf } from "./agent-name.ts";
import { providersFor } from "./resolve-model.ts";
import { own } from "../../core/own.ts";

/** Whether all of a model's servers are on this machine. */
export function isOnThisMachine(id: string, config: Config): boolean {
  const agent = agentNameOf(id, config);
  const [provider = ""] = id.split("/", 1);
  if (provider === handoffProvider) return true;
  return isLoopback(
    agent === undefined ? addressOf(provider, providersFor(id, config)) : own(config.agents, agent)?.baseURL,
  );
}

/** A chat model's price at its address: free on this machine, unless a price is given. */
export const priceThere = (id: string, config: Config): Price | undefined =>
  !isPriceGiven(id, config.prices) && isOnThisMachine(id, config) ? freePrice : priceOf(id, config.prices);
