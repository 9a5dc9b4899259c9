import { agentClis } from "../../adapters/agents/agents.ts";
import { isStartedByHand, peers, providerNames } from "../../adapters/models/endpoints.ts";
import { freePrice, isPriceGiven, priceOf } from "../../adapters/models/prices.ts";
import { handoffModels } from "../../adapters/models/handoff.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { handoffProvider, isHandoff } from "../../core/work/handoff.ts";
import { nearestWord } from "../../core/nearest-word.ts";
import type { Agent } from "../../core/ports/agent.ts";
import type { Model, Role } from "../../core/ports/model.ts";
import type { Price } from "../../core/work/price.ts";
import { type SpendCaps, isCappedOtherwise } from "../../core/settings.ts";
import { guessModels } from "../guess.ts";
import { isOnThisMachine } from "./model-place.ts";
import { agentNameOf } from "./agent-name.ts";
import type { AgentOpener } from "./resolve-agents.ts";
import { type ModelChoice, modelId, modelSettings, openModel, providersFor } from "./resolve-model.ts";
import { type Config, defaultSpend } from "../schema.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface ModelsOptions {
  readonly env: Env;
  /** The roles that will be called. @default target and optimizer */
  readonly roles?: readonly Role[];
  /** The folder for questions that are answered by hand. */
  readonly handoff: string;
  /** Finds prices and caps but opens nothing, because no call will be made. @default false */
  readonly withoutCalls?: boolean;
  /** Called with each model that can't be opened, which is then left out. @default it is thrown */
  readonly onMissing?: OnMissing;
}

export type OnMissing = (id: string, error: WhetstoneError) => void;

export type ModelChoices = Readonly<Record<Role, ModelChoice>>;

/** Whether a model is named, or can be guessed. */
export const hasModel = ({ target, optimizer }: Config, env: ModelsOptions["env"]): boolean =>
  (target ?? optimizer ?? guessModels(env)) !== undefined;

/** The models by role. Roles with no model get one guessed from the keys that are set. */
export function chooseModels(
  config: Config,
  { env, roles = ["target", "optimizer"] }: Pick<ModelsOptions, "env" | "roles">,
  guesses: string[],
): ModelChoices {
  const needed = roles.includes("optimizer");
  const found = config.target === undefined && config.optimizer === undefined ? guessModels(env) : undefined;
  const target = config.target ?? found?.target ?? config.optimizer;
  const optimizer = config.optimizer ?? found?.optimizer ?? target;
  if (target === undefined || optimizer === undefined) {
    throw new WhetstoneError("config-invalid", "No model is named, and no known provider's key is set.", {
      hint: "Give --target and --optimizer as provider/model, set a variable such as OPENAI_API_KEY, or install an agent you have a login for, such as Claude Code. `whetstone demo` needs none of these.",
    });
  }
  const because = found === undefined ? "because no other model is named" : `because ${found.because}`;
  if (config.target === undefined) guesses.push(`target: ${modelId(target)}, ${because}`);
  if (config.optimizer === undefined && needed) guesses.push(`optimizer: ${modelId(optimizer)}, ${because}`);
  return { target, optimizer, judge: config.judge ?? optimizer, miner: config.miner ?? optimizer };
}

/** Whether a model is called through the OpenAI-compatible API. */
export function takesBody(choice: ModelChoice, config: Config): boolean {
  if (typeof choice !== "string" || isHandoff(choice)) return false;
  if (agentNameOf(choice, config) !== undefined) return false;
  const [provider = ""] = choice.split("/", 1);
  const isOwnServer = provider === "openai" && providersFor(choice, config)[provider]?.baseURL !== undefined;
  return isOwnServer || !Object.hasOwn(peers, provider);
}

/** Models on OpenAI-compatible servers, with or without a provider package. Others may not have extra fields. */
export function bodyTakers(config: Config, choices: ModelChoices): ReadonlySet<string> {
  const isTaker = (choice: ModelChoice): boolean => takesBody(choice, config);
  for (const [role, choice] of Object.entries(choices) as [Role, ModelChoice][]) {
    if (config.extraBody?.[role] === undefined || isTaker(choice)) continue;
    throw new WhetstoneError(
      "config-invalid",
      `extraBody.${role} is for OpenAI-compatible servers, but ${modelId(choice)} isn't called as one.`,
      { hint: `Remove extraBody.${role}, or name a model on such a server with --${role}.` },
    );
  }
  return new Set(Object.values(choices).filter(isTaker).map(modelId));
}

export interface OpenedModels {
  readonly modelObjects: ReadonlyMap<string, Model>;
  /** The target when it is an agent. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** Agents by their own names, in addition to those in the config. */
  readonly prices: Readonly<Record<string, Price>>;
  /** Models that a subscription pays for. */
  readonly logins: readonly string[];
  readonly spend: SpendCaps;
  /** Chat models whose server is on this machine. */
  readonly near: ReadonlySet<string>;
}

/** Opens only the roles that will be called: an unused model doesn't need a key. */
export async function openModels(
  config: Config,
  choices: ModelChoices,
  { env, roles = ["target", "optimizer"], withoutCalls = false, handoff: folder, onMissing }: ModelsOptions,
  opener: AgentOpener,
  { guesses, notes }: { readonly guesses: string[]; readonly notes: string[] },
): Promise<OpenedModels> {
  const models = new Map<string, Model>();
  const handoff = handoffModels({ folder });
  const agents = new Map<string, Agent>();
  const prices: Record<string, Price> = { ...config.prices };
  const logins: string[] = [];
  const near = new Set<string>();
  const open = async (role: Role, isAgent: boolean): Promise<void> => {
    const choice = choices[role];
    const id = modelId(choice);
    if (isAgent && role === "target") agents.set(id, await opener.agent(id));
    else if (isAgent) models.set(id, await opener.model(id));
    else if (!models.has(id))
      models.set(id, await openModel(choice, { ...modelSettings(id, config, env), handoff }));
  };
  for (const role of roles) {
    const choice = choices[role];
    const id = modelId(choice);
    const isAgent = typeof choice === "string" && agentNameOf(id, config) !== undefined;
    if (!isAgent && typeof choice === "string") refuseMistyped(id, config);
    if (!withoutCalls) {
      await open(role, isAgent).catch((error: unknown) => {
        if (onMissing === undefined || !(error instanceof WhetstoneError)) throw error;
        onMissing(id, error);
      });
    }
    const isHere = !isAgent && typeof choice === "string" && isOnThisMachine(id, config);
    if (isHere && !isHandoff(id)) near.add(id);
    if (isHere && !isPriceGiven(id, prices)) {
      prices[id] = freePrice;
      // not worth a note for a server you named yourself, or for answers by hand
      const [provider = ""] = id.split("/", 1);
      if (!isHandoff(id) && !isStartedByHand(provider))
        guesses.push(
          `price: ${id} is free, because its server is on this machine; set --price ${id}=<in>,<out> to change that`,
        );
    }
    // it's free only by a guess, so a dollar cap that somebody gave needs a price
    const isOwnObject = typeof choice === "object" && "generate" in choice;
    if (isOwnObject && priceOf(id, prices) === undefined && config.spend?.usd === undefined) {
      prices[id] = freePrice;
      guesses.push(
        `price: ${id} is free, because the model is your own object; set --price ${id}=<in>,<out> to change that`,
      );
    }
    if (!isAgent || Object.hasOwn(prices, id)) continue;
    const price = await opener.price(id);
    if (price !== undefined) prices[id] = price;
    if (await opener.isLogin(id)) logins.push(id);
  }
  const ids = [...new Set(roles.map((role) => modelId(choices[role])))];
  const unpriced = ids.filter((id) => priceOf(id, prices) === undefined);
  const spend = withoutVainCap(capsFor(config, logins, guesses), { ids, unpriced }, notes);
  return { modelObjects: models, agents, prices, logins, spend, near };
}

/** An unknown name that is close to a known one. */
export function refuseMistyped(id: string, config: Config): void {
  const [name = "", ...rest] = id.split("/");
  const known = [...agentClis.keys(), ...Object.keys(config.agents ?? {}), ...providerNames, handoffProvider];
  if (known.includes(name) || Object.hasOwn(providersFor(id, config), name)) return;
  const nearest = nearestWord(name, known);
  if (nearest === undefined) return;
  throw new WhetstoneError("config-invalid", `Unknown agent or provider "${name}".`, {
    hint: `Did you mean ${nearest}/${rest.join("/")}? For your own server, use --base-url <url>.`,
  });
}

/** Money can't limit what a login uses, so calls, tokens or minutes must. */
function capsFor(
  { spend, offline = false }: Config,
  logins: readonly string[],
  guesses: string[],
): SpendCaps {
  const isLogin = logins.length > 0;
  if (spend === undefined) {
    const caps: SpendCaps = isLogin ? { ...defaultSpend, calls: 2000 } : defaultSpend;
    if (!offline)
      guesses.push(
        `spend: at most ${caps.usd} USD${isLogin ? " and, because a login pays, 2000 calls" : ""}`,
      );
    return caps;
  }
  if (!isLogin || isCappedOtherwise(spend)) return spend;
  throw new WhetstoneError(
    "price-unknown",
    `A login pays for ${logins.join(" and ")}, so a USD cap alone has no effect.`,
    { hint: "Cap calls, tokens or minutes as well, such as --spend-calls 500." },
  );
}

/** A money cap we can't apply isn't a reason to stop if there's another. It still covers everything with a price. */
function withoutVainCap(
  caps: SpendCaps,
  { ids, unpriced }: { readonly ids: readonly string[]; readonly unpriced: readonly string[] },
  notes: string[],
): SpendCaps {
  const { usd, ...others } = caps;
  if (usd === undefined || unpriced.length === 0 || !isCappedOtherwise(others)) return caps;
  const held = Object.entries(others).map(([unit, most]) => `${most} ${unit}`);
  const names = unpriced.join(" and ");
  const isVain = unpriced.length === ids.length;
  notes.push(
    isVain
      ? `spend: ${held.join(", ")}; the cap of ${usd} USD is ignored, because the price of ${names} is unknown`
      : `spend: ${held.join(", ")}; the cap of ${usd} USD doesn't cover ${names}, whose price is unknown`,
  );
  return isVain ? others : caps;
}
