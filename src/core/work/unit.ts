import { hashJson } from "../canonical.ts";
import type { Json } from "../json.ts";

/** Why a result is drawn. A fresh measurement of the same skill is another purpose or another trial. */
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
  /** The original again at the end of a run: has the provider moved? */
  | "drift";

export interface Draw {
  readonly purpose: Purpose;
  readonly trial: number;
  /** The claim it was drawn for, which names both skills and the read: an arm of another claim is never used. */
  readonly claim?: string;
  /** Tells equal calls of one rollout apart: the second is 1, and so on. */
  readonly call?: number;
  /** Counts the tries after a reply that was no use: the first is 1. */
  readonly again?: number;
}

/** Everything with an effect is a unit: JSON in, JSON out, its handler found by `kind@version`. */
export interface Unit {
  readonly kind: string;
  readonly version: number;
  /** What the handler needs, which is also all that determines the result. */
  readonly input: Json;
  readonly draw: Draw;
}

/**
 * The content address of a unit's result. Not in it: our own version, run id, seed, clock, price.
 * `salt` is the user's `--fresh` word.
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
