import { WhetstoneError } from "../../core/errors.ts";
import type { Agent } from "../../core/ports/agent.ts";
import type { Model } from "../../core/ports/model.ts";
import { agentsWith } from "../../core/coding-agents.ts";
import { codingAgents } from "../coding-agents/coding-agents.ts";
import { acpAgent } from "./acp.ts";
import type { AgentCli } from "./agent-cli.ts";
import { cliAgent } from "./cli-agent.ts";
import { cliModel } from "./cli-model.ts";
import { type CommandSettings, commandAgent } from "./command-agent.ts";
import type { ConfiguredOptions } from "./configured-agent.ts";
import { type CliOptions, openCli } from "./open-cli.ts";
import { parseProviderModel } from "./provider-upstream.ts";

/** The agent CLIs that can be used by name. */
export const agentClis: ReadonlyMap<string, AgentCli> = new Map(
  agentsWith("cli").map((name) => {
    const { cli, program } = codingAgents[name];
    const provider = (model: string) => cli.vendor?.provider ?? parseProviderModel(model).provider;
    return [name, { ...cli, name, program: program.name, packageName: program.packageName, provider }];
  }),
);

/** An agent as a target, with its tools. */
export async function openAgent(name: string, options: CliOptions): Promise<Agent> {
  return cliAgent(await openCli(cliNamed(name), options));
}

/** The same without tools, as a chat model for any role. */
export async function openAgentModel(name: string, options: CliOptions): Promise<Model> {
  return cliModel(await openCli(cliNamed(name), options));
}

/** An agent that the user describes, with one of these two command lines. */
export interface OwnAgentSettings extends Omit<CommandSettings, "argv"> {
  /** For an agent with the Agent Client Protocol. */
  readonly acp?: readonly string[];
  /** For a program that reads the prompt and prints its answer. */
  readonly run?: readonly string[];
}

export async function openOwnAgent(
  name: string,
  options: ConfiguredOptions<OwnAgentSettings>,
): Promise<Agent> {
  const { acp, run, ...settings } = options.settings;
  if (acp !== undefined && run === undefined) {
    return acpAgent(name, { ...options, settings: { ...settings, argv: acp } });
  }
  if (run !== undefined && acp === undefined) {
    return commandAgent(name, { ...options, settings: { ...settings, argv: run } });
  }
  throw new WhetstoneError("config-invalid", `The agent "${name}" needs exactly one command line.`, {
    hint: `Set agents.${name}.acp for an agent with the Agent Client Protocol, or agents.${name}.run for any other program.`,
  });
}

function cliNamed(name: string): AgentCli {
  const cli = agentClis.get(name);
  if (cli !== undefined) return cli;
  throw new WhetstoneError("config-invalid", `Unknown agent "${name}".`, {
    hint: `Supported agents: ${[...agentClis.keys()].join(", ")}.`,
  });
}
