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
  /** Where questions go that are answered by hand. */
  readonly handoff: string;
  /** Find prices and caps, and open nothing: no call will be made. @default false */
  readonly withoutCalls?: boolean;
  /** Told of what cannot be opened here, which is then left out. @default it is thrown */
  readonly onMissing?: OnMissing;
}

export type OnMissing = (id: string, error: WhetstoneError) => void;

export type ModelChoices = Readonly<Record<Role, ModelChoice>>;

/** Whether a model is named, or can be guessed. */
export const hasModel = ({ target, optimizer }: Config, env: ModelsOptions["env"]): boolean =>
  (target ?? optimizer ?? guessModels(env)) !== undefined;

/** The models by role; what was not named is guessed from the keys that are set. */
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
    throw new WhetstoneError("config-invalid", "No model is named, and no key of a known provider is set.", {
      hint: "Give --target and --optimizer as provider/model, or set a variable such as OPENAI_API_KEY, or install an agent you have a login for, such as Claude Code. `whetstone demo` needs none of them.",
    });
  }
  const because = found === undefined ? "as no other model is named" : `because ${found.because}`;
  if (config.target === undefined) guesses.push(`target: ${modelId(target)}, ${because}`);
  if (config.optimizer === undefined && needed) guesses.push(`optimizer: ${modelId(optimizer)}, ${because}`);
  return { target, optimizer, judge: config.judge ?? optimizer, miner: config.miner ?? optimizer };
}

/** Whether a model is asked as one of an OpenAI-compatible server. */
export function takesBody(choice: ModelChoice, config: Config): boolean {
  if (typeof choice !== "string" || isHandoff(choice)) return false;
  if (agentNameOf(choice, config) !== undefined) return false;
  const [provider = ""] = choice.split("/", 1);
  const isOwnServer = provider === "openai" && providersFor(choice, config)[provider]?.baseURL !== undefined;
  return isOwnServer || !Object.hasOwn(peers, provider);
}

/** Models of OpenAI-compatible servers, whether or not a package for their provider is installed; further fields of others are refused. */
export function bodyTakers(config: Config, choices: ModelChoices): ReadonlySet<string> {
  const isTaker = (choice: ModelChoice): boolean => takesBody(choice, config);
  for (const [role, choice] of Object.entries(choices) as [Role, ModelChoice][]) {
    if (config.extraBody?.[role] === undefined || isTaker(choice)) continue;
    throw new WhetstoneError(
      "config-invalid",
      `extraBody.${role} is for OpenAI-compatible servers, and ${modelId(choice)} is not asked as one.`,
      { hint: `Leave out extraBody.${role}, or name a model of such a server as --${role}.` },
    );
  }
  return new Set(Object.values(choices).filter(isTaker).map(modelId));
}

export interface OpenedModels {
  readonly modelObjects: ReadonlyMap<string, Model>;
  /** The target when it is an agent. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** Of agents, by their own names, beside those of the config. */
  readonly prices: Readonly<Record<string, Price>>;
  /** Those for which a subscription pays. */
  readonly logins: readonly string[];
  readonly spend: SpendCaps;
  /** Chat models whose server is on this machine. */
  readonly near: ReadonlySet<string>;
}

/** Only of the roles that will be called: nobody needs a key for a model that is not used. */
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
      // of a server of one's own by name, and of one's own hands, it goes without saying
      const [provider = ""] = id.split("/", 1);
      if (!isHandoff(id) && !isStartedByHand(provider))
        guesses.push(
          `price: ${id} costs nothing, as its server is on this machine; --price ${id}=<in>,<out> says otherwise`,
        );
    }
    // free by a guess only: a cap in dollars that somebody gave needs a price
    const isOwnObject = typeof choice === "object" && "generate" in choice;
    if (isOwnObject && priceOf(id, prices) === undefined && config.spend?.usd === undefined) {
      prices[id] = freePrice;
      guesses.push(
        `price: ${id} costs nothing, as the model is an object of yours; --price ${id}=<in>,<out> says otherwise`,
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

/** A name that nobody has, and that is close to one that somebody has. */
export function refuseMistyped(id: string, config: Config): void {
  const [name = "", ...rest] = id.split("/");
  const known = [...agentClis.keys(), ...Object.keys(config.agents ?? {}), ...providerNames, handoffProvider];
  if (known.includes(name) || Object.hasOwn(providersFor(id, config), name)) return;
  const nearest = nearestWord(name, known);
  if (nearest === undefined) return;
  throw new WhetstoneError("config-invalid", `No agent and no provider is called "${name}".`, {
    hint: `Did you mean ${nearest}/${rest.join("/")}? A server of your own is named with --base-url <url>.`,
  });
}

/** Money says nothing about what a login may use, so calls, tokens or minutes must. */
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
    `A login pays for ${logins.join(" and ")}, so a cap in USD alone caps nothing.`,
    { hint: "Cap calls, tokens or minutes as well, such as --spend-calls 500." },
  );
}

/** A cap in money that cannot be kept is no reason to stop where another one holds; it goes on for whatever has a price. */
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
      ? `spend: ${held.join(", ")}; the cap of ${usd} USD is left out, because the price of ${names} is not known`
      : `spend: ${held.join(", ")}; the cap of ${usd} USD does not count ${names}, whose price is not known`,
  );
  return isVain ? others : caps;
}
