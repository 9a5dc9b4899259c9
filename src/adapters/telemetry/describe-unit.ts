import type { Attributes } from "@opentelemetry/api";
import { own } from "../../core/own.ts";
import type { CodingAgent } from "../coding-agents/coding-agent.ts";
import { codingAgents } from "../coding-agents/coding-agents.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Usage } from "../../core/ports/model.ts";

/** Describes a unit by OpenTelemetry's conventions for generative AI. */
export interface UnitDescription {
  readonly name: string;
  /** Requested from a model or an agent. */
  readonly isGenAi: boolean;
  /** The provider, model and operation: few values, so that metrics can include them. */
  readonly attributes: Attributes;
}

/** `model` is the model of the unit's role. Prompts and answers are never included. */
export function describeUnit(kind: string, model: string): UnitDescription {
  const [first = "", ...others] = model.split("/");
  const rest = others.join("/");
  const vendor = own<CodingAgent>(codingAgents, first)?.cli?.vendor?.provider;
  if (kind === "generate") {
    return {
      name: `chat ${rest}`,
      isGenAi: true,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": vendor ?? providerNames[first] ?? first,
        "gen_ai.request.model": rest,
      },
    };
  }
  if (kind !== "agent") return { name: kind, isGenAi: false, attributes: {} };
  // agents with many providers name the model's provider: opencode/<provider>/<model>
  const [provider = "", ...name] = others;
  const isNested = vendor === undefined && providerNames[first] === undefined && name.length > 0;
  return {
    name: `invoke_agent ${first}`,
    isGenAi: true,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": first,
      "gen_ai.provider.name": isNested
        ? (providerNames[provider] ?? provider)
        : (vendor ?? providerNames[first] ?? first),
      "gen_ai.request.model": isNested ? name.join("/") : rest,
    },
  };
}

/** Providers that the conventions name differently. */
const providerNames: Readonly<Record<string, string | undefined>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
};

/** The facts in a recorded reply or rollout, apart from its text. */
export interface ResultFacts {
  readonly usage?: Usage;
  readonly finish?: string;
}

export function readResultFacts(output: Json | undefined): ResultFacts {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return {};
  const { usage, finish, ended } = output as JsonObject;
  const end = finish ?? ended;
  return {
    ...(typeof usage === "object" && usage !== null ? { usage: usage as unknown as Usage } : {}),
    ...(typeof end === "string" ? { finish: end.replace("-", "_") } : {}),
  };
}

export function resultAttributes({ usage, finish }: ResultFacts): Attributes {
  return {
    ...(finish === undefined ? {} : { "gen_ai.response.finish_reasons": [finish] }),
    ...(usage === undefined
      ? {}
      : {
          "gen_ai.usage.input_tokens": usage.inputTokens,
          "gen_ai.usage.output_tokens": usage.outputTokens,
        }),
    ...(usage?.cachedInputTokens === undefined
      ? {}
      : { "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens }),
    ...(usage?.cacheWriteInputTokens === undefined
      ? {}
      : { "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteInputTokens }),
  };
}
