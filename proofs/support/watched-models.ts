import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel, ModelRequest } from "../../src/ports.ts";
import { scriptedModels } from "../../test/support/scripted-config.ts";

export interface WatchedCall {
  readonly key: string;
  readonly request: ModelRequest;
}

export type Watch = <T>(call: WatchedCall, make: () => PromiseLike<T>) => PromiseLike<T>;

/** The scripted models as objects of the AI SDK; `watch` makes each of their calls. */
export function watchedModels(url: string, watch: Watch) {
  const provider = createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, apiKey: "none" });
  const watched = (id: string): LanguageModel => {
    const model = provider(id.slice("scripted/".length));
    const { specificationVersion, modelId } = model;
    return {
      specificationVersion,
      provider: model.provider,
      modelId,
      doGenerate: (options: CallOptions) => watch(readCall(id, options), () => model.doGenerate(options)),
    };
  };
  return { target: watched(scriptedModels.target), optimizer: watched(scriptedModels.optimizer) };
}

type CallOptions = Parameters<ReturnType<ReturnType<typeof createOpenAICompatible>>["doGenerate"]>[0];

function readCall(model: string, { prompt, maxOutputTokens = 0, headers }: CallOptions): WatchedCall {
  const system = prompt.find(({ role }) => role === "system")?.content;
  const messages = prompt.flatMap(({ role, content }) =>
    role === "user" || role === "assistant" ? [{ role, content: textOf(content) }] : [],
  );
  return {
    key: headers?.["Idempotency-Key"] ?? "",
    request: {
      model,
      messages,
      maxTokens: maxOutputTokens,
      ...(typeof system === "string" ? { system } : {}),
    },
  };
}

const textOf = (parts: readonly { readonly type: string }[]): string =>
  parts.map((part) => ("text" in part ? String(part.text) : "")).join("");
