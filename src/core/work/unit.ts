import { hashJson } from "../canonical.ts";
import type { Json } from "../json.ts";

/** Why a result is drawn. A new measurement of the same skill needs another purpose or another trial. */
export type Purpose =
  | "train"
  | "gate"
  | "probe"
  | "epoch"
  | "baseline"
  | "prune"
  | "calibrate"
  | "sealed"
  | "regression"
  | "compare"
  /** The original again at the end of a run, to see whether the provider has changed. */
  | "drift";

export interface Draw {
  readonly purpose: Purpose;
  readonly trial: number;
  /** The claim it was drawn for, named by both skills and the read, because claims never share results. */
  readonly claim?: string;
  /** Distinguishes equal calls in one rollout: the second is 1, and so on. */
  readonly call?: number;
  /** Counts the tries after an unusable reply: the first is 1. */
  readonly again?: number;
}

/** Everything with an effect is a unit: JSON in, JSON out. Its handler is found by `kind@version`. */
export interface Unit {
  readonly kind: string;
  readonly version: number;
  /** Everything the handler needs. Only this and the draw determine the result. */
  readonly input: Json;
  readonly draw: Draw;
}

/**
 * The content address of a unit's result. It doesn't depend on our own version, run id, seed, clock or price.
 * `salt` is the word that the user gave with `--fresh`.
 *
 * @example
 * const unit = { kind: "generate", version: 1, input: { model: "a/b" }, draw: { purpose: "train", trial: 0 } } as const;
 * console.log(unitKey(unit));
 */
export function unitKey(unit: Unit, salt?: string): string {
  const { kind, version, input, draw } = unit;
  return hashJson({
    kind,
    version,
    input,
    draw: { ...draw },
    salt,
  });
}
