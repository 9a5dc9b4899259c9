import { agentClis } from "../../adapters/agents/agents.ts";
import type { Config } from "../schema.ts";

/** The agent that a model's name starts with, `claude-code` in `claude-code/sonnet`; undefined for a chat model. */
export function agentNameOf(id: string, { agents = {} }: Pick<Config, "agents">): string | undefined {
  const [name = ""] = id.split("/", 1);
  return agentClis.has(name) || Object.hasOwn(agents, name) ? name : undefined;
}
