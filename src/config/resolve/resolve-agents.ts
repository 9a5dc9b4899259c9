import { homedir } from "node:os";
import type { Upstream } from "../../adapters/agents/agent-cli.ts";
import { agentClis, openOwnAgent } from "../../adapters/agents/agents.ts";
import { cliAgent } from "../../adapters/agents/cli-agent.ts";
import { cliModel } from "../../adapters/agents/cli-model.ts";
import { locateProgram } from "../../adapters/agents/find-cli.ts";
import { type OpenCli, openCli } from "../../adapters/agents/open-cli.ts";
import { freePrice, isPriceGiven, priceOf } from "../../adapters/models/prices.ts";
import { chooseSandbox } from "../../adapters/sandboxes/choose-sandbox.ts";
import type { Checkouts } from "../../adapters/workspaces/git-checkout.ts";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { Agent } from "../../core/ports/agent.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Sandbox } from "../../core/ports/sandbox.ts";
import type { Price } from "../../core/work/price.ts";
import { isOnThisMachine } from "./model-place.ts";
import type { Config } from "../schema.ts";
import { isCappedOtherwise } from "../../core/settings.ts";

/** Opens agents for one run. It looks for each program once, and makes the sandbox when it is first needed. */
export interface AgentOpener {
  readonly sandbox: () => Promise<Sandbox>;
  /** With its tools, as the target. */
  agent(id: string): Promise<Agent>;
  /** Without tools, as a chat model for any role. */
  model(id: string): Promise<Model>;
  /** The price of its tokens: zero if a login pays, undefined if unknown. */
  price(id: string): Promise<Price | undefined>;
  /** Whether a subscription pays. */
  isLogin(id: string): Promise<boolean>;
}

export function agentOpener(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  checkouts?: Checkouts,
): AgentOpener {
  const { spend, prices = {} } = config;
  const needsPrice = spend === undefined || (spend.usd !== undefined && !isCappedOtherwise(spend));
  /** The price of an agent's tokens: free if its server is on this machine, unless a price is given. */
  const listedFor = (id: string) => (named: string) =>
    (!isPriceGiven(named, prices) && isOnThisMachine(id, config) ? freePrice : priceOf(named, prices)) ??
    (needsPrice ? undefined : freePrice);
  const allow = config.proxy?.allow ?? [];
  const opened = new Map<string, Promise<OpenCli>>();
  let chosen: Promise<Sandbox> | undefined;
  const sandbox = () => (chosen ??= chooseSandbox(config.sandbox ?? "auto", { env }));

  const open = (id: string): Promise<OpenCli> => {
    const known = opened.get(id);
    if (known !== undefined) return known;
    const opening = sandbox().then((box) => {
      const { name, model } = split(id);
      const cli = agentClis.get(name);
      if (cli === undefined) throw onlyTarget(name);
      const settings = config.agents?.[name] ?? {};
      const place = { env, home: homedir(), sandbox: box, checkouts, allow };
      return openCli(cli, { model, settings, ...place, priceOf: listedFor(id) });
    });
    opened.set(id, opening);
    return opening;
  };

  return {
    sandbox,
    async agent(id) {
      const { name, model } = split(id);
      const place = { env, home: homedir(), sandbox: await sandbox(), checkouts, allow };
      const shared = { model, ...place, priceOf: listedFor(id) };
      const settings = config.agents?.[name] ?? {};
      const { model: named, ...rest } = shared;
      if (!agentClis.has(name))
        return openOwnAgent(name, { ...(named === "default" ? rest : shared), settings });
      return cliAgent(await open(id));
    },
    model: async (id) => cliModel(await open(id)),
    async price(id) {
      const { name, model } = split(id);
      const cli = agentClis.get(name);
      const listed = listedFor(id);
      if (cli === undefined) return model === "default" ? freePrice : listed(model);
      if (await this.isLogin(id)) return freePrice;
      const provider = cli.provider(model);
      return listed(model.startsWith(`${provider}/`) ? model : `${provider}/${model}`);
    },
    async isLogin(id) {
      try {
        return (await connectAgent(id, config, env))?.pays === "login";
      } catch (error) {
        // the first call reports what is missing
        if (error instanceof InfraError) return true;
        throw error;
      }
    },
  };
}

/** The destination of a known agent's calls and who pays, found without its program, a sandbox or a call. */
export async function connectAgent(
  id: string,
  { agents = {} }: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Upstream | undefined> {
  const { name, model } = split(id);
  const cli = agentClis.get(name);
  if (cli === undefined) return undefined;
  const settings = agents[name] ?? {};
  const program = locateProgram(settings.command ?? cli.program, env)?.program ?? cli.program;
  return cli.connect({ env, home: homedir(), settings, model, program });
}

function split(id: string): { readonly name: string; readonly model: string } {
  const [name = ""] = id.split("/", 1);
  return { name, model: id.slice(name.length + 1) };
}

const onlyTarget = (name: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `The agent "${name}" can only be the target.`, {
    hint: `For the other roles use provider/model, or one of ${[...agentClis.keys()].join(", ")}.`,
  });
