import { join } from "node:path";
import { journalPlace } from "../journal-place.ts";
import { type LanguageModel, aiSdkModel } from "../../adapters/models/ai-sdk.ts";
import { classifyError } from "../../adapters/models/classify.ts";
import { readFailure } from "../../adapters/models/failure.ts";
import {
  type ProviderSettings,
  type ResolveModelSettings,
  resolveModel,
} from "../../adapters/models/providers.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Config } from "../schema.ts";
import { giveAddressFor, isAtBaseURL } from "./usual-variables.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A model as people write it: a name, or an object from code. */
export type ModelChoice = string | LanguageModel | Model;

/** `provider/model`, for objects too. */
export function modelId(choice: ModelChoice): string {
  if (typeof choice === "string") return choice;
  if ("generate" in choice) return choice.id;
  // `openai.responses` and `openai.chat` are one provider, with one price and one rate limit
  return `${choice.provider.split(".", 1)[0]}/${choice.modelId}`;
}

export interface OpenModelSettings extends ResolveModelSettings {
  /** The run's handoff, which collects its questions. @default a model answered by hand is refused */
  readonly handoff?: (id: string) => Model;
}

/** Opens a model that can be called. Reports a missing name, key or package. */
export async function openModel(choice: ModelChoice, settings: OpenModelSettings): Promise<Model> {
  if (typeof choice === "string" && isHandoff(choice)) return openHandoff(choice, settings);
  if (typeof choice === "string") return resolveModel(choice, settings);
  return "generate" in choice ? fromCode(choice) : aiSdkModel(choice, { id: modelId(choice) });
}

/** If its code passes on errors of `fetch` or a client, the provider is at fault. Other errors are bugs. */
function fromCode(model: Model): Model {
  const generate: Model["generate"] = async (request, call) => {
    try {
      return await model.generate(request, call);
    } catch (error) {
      const { status, codes, names } = readFailure(error);
      const isOnTheWay = names.includes("TimeoutError") || codes.some((code) => !code.startsWith("ERR_"));
      const isKnown = call.signal.aborted || error instanceof WhetstoneError;
      throw isKnown || (status === undefined && !isOnTheWay) ? error : classifyError(error);
    }
  };
  return Object.create(model, { generate: { value: generate } }) as Model;
}

function openHandoff(id: string, { handoff }: OpenModelSettings): Model {
  if (handoff !== undefined) return handoff(id);
  throw new WhetstoneError("config-invalid", `${id} is answered by hand, which doesn't work here.`, {
    hint: "Name another model for this command.",
  });
}

/** Everything needed to open a config's model. */
export const modelSettings = (id: string, config: Config, env: Env) => ({
  env,
  providers: providersFor(id, config),
  giveAddress: giveAddressFor(id, config, env),
});

/** Next to the journal. */
export const handoffFolder = ({ journal }: Pick<Config, "journal">, cwd: string): string =>
  join(journalPlace(journal, cwd).journalDir, "handoff");

/** Provider addresses for one model: its own is at `baseURL` unless it has an address elsewhere. */
export function providersFor(id: string, config: Config): Readonly<Record<string, ProviderSettings>> {
  const { providers = {}, baseURL } = config;
  const provider = id.split("/", 1)[0] ?? "";
  if (baseURL === undefined || !isAtBaseURL(provider, config)) return providers;
  return { ...providers, [provider]: { baseURL } };
}
