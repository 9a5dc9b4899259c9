import { type LanguageModel, aiSdkModel } from "../adapters/models/ai-sdk.ts";
import {
  type ProviderSettings,
  type ResolveModelSettings,
  resolveModel,
} from "../adapters/models/providers.ts";
import type { Model } from "../core/ports/model.ts";
import type { Config } from "./schema.ts";

/** A model as people write it: its name, or an object from code. */
export type ModelChoice = string | LanguageModel | Model;

/** `provider/model`, also for an object. */
export function modelId(choice: ModelChoice): string {
  if (typeof choice === "string") return choice;
  if ("generate" in choice) return choice.id;
  // `openai.responses` and `openai.chat` are one provider, with one price and one rate limit
  return `${choice.provider.split(".", 1)[0]}/${choice.modelId}`;
}

/** A model that can be called. Says what is missing: a name, a key or a package. */
export async function openModel(choice: ModelChoice, settings: ResolveModelSettings): Promise<Model> {
  if (typeof choice === "string") return resolveModel(choice, settings);
  return "generate" in choice ? choice : aiSdkModel(choice, { id: modelId(choice) });
}

/** `baseURL` serves every provider that has no entry of its own. */
export function providersFor(
  id: string,
  { providers = {}, baseURL }: Config,
): Readonly<Record<string, ProviderSettings>> {
  const provider = id.split("/", 1)[0] ?? "";
  if (baseURL === undefined || Object.hasOwn(providers, provider)) return providers;
  return { ...providers, [provider]: { baseURL } };
}
