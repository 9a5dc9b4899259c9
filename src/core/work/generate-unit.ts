import type { UnitHandler } from "./handlers.ts";
import type { Json } from "../json.ts";
import type { Model, ModelRequest } from "../ports/model.ts";
import { type Price, costOf, worstCase } from "./price.ts";
import { WhetstoneError } from "../errors.ts";

export interface GenerateOptions {
  /** By `provider/model`. */
  readonly models: ReadonlyMap<string, Model>;
  /** Missing only where no cap in money is set. */
  readonly priceOf: (model: string) => Price | undefined;
}

/** `generate@1`: one chat call. Its input is a `ModelRequest`, its output a `Reply`. */
export function generateUnit({ models, priceOf }: GenerateOptions): UnitHandler {
  return {
    kind: "generate",
    version: 1,
    lane: (input) => (input as unknown as ModelRequest).model,
    worst(input) {
      const request = input as unknown as ModelRequest;
      const price = priceOf(request.model) ?? { input: 0, output: 0 };
      return worstCase(request, price, models.get(request.model)?.ownTokens);
    },
    isUnlimited(input) {
      const model = models.get((input as unknown as ModelRequest).model);
      return model?.isHandoff === true || model?.isBatch === true;
    },
    resumes: (input) => models.get((input as unknown as ModelRequest).model)?.isBatch === true,
    async run(input, { key, place, signal, isIdle, stopping }) {
      const request = input as unknown as ModelRequest;
      const model = models.get(request.model);
      if (model === undefined) {
        throw new WhetstoneError("not-found", `The model ${request.model} is not part of this run.`);
      }
      const reply = await model.generate(request, {
        key,
        signal,
        block: place.block,
        isIdle,
        stopping,
      });
      const price = priceOf(request.model);
      const { inputTokens, outputTokens } = reply.usage;
      return {
        output: reply as unknown as Json,
        cost: {
          nanoUsd: price === undefined ? 0 : costOf(reply.usage, price),
          tokens: inputTokens + outputTokens,
          calls: 1,
        },
      };
    },
  };
}
