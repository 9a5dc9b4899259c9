import type { Model } from "../core/ports/model.ts";
import type { CrashPoint } from "./crash-point.ts";

/**
 * A model whose caller dies at a chosen call: before the provider hears of it, or after it answered.
 *
 * @example
 * const answeredAndDead = (model: Model) => faultyModel(model, crashPoint({ at: 1, moment: "after" }));
 */
export function faultyModel(model: Model, crash: CrashPoint): Model {
  return {
    id: model.id,
    generate: (request, call) => crash.operate(() => model.generate(request, call)),
  };
}
