import { type UnitHandler, unitHandler } from "./handlers.ts";
import { generateKind } from "./unit-kinds.ts";
import type { Model } from "../ports/model.ts";
import { type Price, boundUsage, costOf, worstCase } from "./price.ts";
import { WhetstoneError } from "../errors.ts";

export interface GenerateOptions {
  /** The models, by `provider/model`. */
  readonly models: ReadonlyMap<string, Model>;
  /** May return undefined only if there's no cap in US dollars. */
  readonly priceOf: (model: string) => Price | undefined;
}

/** Handles `generate@1`: one chat call. Its input is a `ModelRequest`, its output a `Reply`. */
export function generateUnit({ models, priceOf }: GenerateOptions): UnitHandler {
  return unitHandler(generateKind, {
    lane: ({ model }) => model,
    worst(request) {
      const price = priceOf(request.model) ?? { input: 0, output: 0 };
      return worstCase(request, price, models.get(request.model)?.ownTokens);
    },
    isNear: ({ model }) => models.get(model)?.isNear === true,
    isUnlimited: ({ model }) => models.get(model)?.isHandoff === true,
    async run(request, { key, signal, deadlineMs, isIdle }) {
      const model = models.get(request.model);
      if (model === undefined) {
        throw new WhetstoneError("not-found", `The model ${request.model} isn't part of this run.`);
      }
      const call = { key, signal, deadlineMs, isIdle };
      const given = await model.generate(request, call);
      const reply = generateKind.takeOutput(given, `The model ${request.model}`, boundUsage(request));
      const price = priceOf(request.model);
      const { inputTokens, outputTokens, estimated } = reply.usage;
      const tokens = Math.ceil(inputTokens) + Math.ceil(outputTokens);
      return {
        output: reply,
        cost: {
          nanoUsd: price === undefined ? 0 : costOf(reply.usage, price),
          tokens,
          calls: 1,
          ...(estimated && { estimated: tokens }),
        },
      };
    },
  });
}
