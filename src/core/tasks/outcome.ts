import type { InfraClass } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Message } from "../ports/model.ts";
import type { UnusableReply } from "../unusable-reply.ts";
import type { Used } from "../used.ts";
import type { TaskLimits } from "./task.ts";

/** What a task came to. Only `scored` is evidence; averaging anything else does not type-check. */
export type Outcome = Scored | Pending | Invalid;

export interface Scored {
  readonly kind: "scored";
  /** Pass or fail, in [0, 1]; may be fractional. */
  readonly hard: number;
  /** Partial credit, in [0, 1]. */
  readonly soft: number;
  /** Why, for the analyst: what was expected and what came. */
  readonly feedback: string;
  /** What each check of the task came to, in its order. */
  readonly checks?: readonly CheckOutcome[];
  /** What the target did. */
  readonly conversation: readonly Message[];
  readonly extras?: Json;
  /** The model's id as the provider returned it. */
  readonly model?: string;
  /** Set when the target's last reply was no answer; the rollout sets it. */
  readonly reply?: UnusableReply;
  /** What the target took for it; the rollout sets it. */
  readonly used?: Used;
  /** The hosts that answered for it, target and judge; the rollout sets it. */
  readonly hosts?: readonly string[];
}

/** One check on one performance. */
export interface CheckOutcome {
  readonly pass: boolean;
  /** What was wanted, and what came instead: `to contain "42"`. */
  readonly expected: string;
}

/**
 * Provider, network, sandbox, CLI or login failed: try again. `prompt-refused`: the prompt is too long for the model.
 * `left-out`: a person left the task out. `no-verdict`: no reply of the judge could be used.
 */
export interface Pending {
  readonly kind: "pending";
  readonly cause: {
    readonly class: InfraClass;
    readonly message: string;
    /** The next step, when it is not the usual one. */
    readonly next?: string;
  };
}

/** A broken check or task: a person must fix it. */
export interface Invalid {
  readonly kind: "invalid";
  readonly reason: string;
}

/** A rollout that took more than its task allows doesn't pass. Unknown times, such as in a batch, count as kept. */
export function withinLimits(outcome: Scored, { seconds = Infinity, usd = Infinity }: TaskLimits): Scored {
  const { ms = 0, nanoUsd = 0 } = outcome.used ?? {};
  if (ms <= 1000 * seconds && nanoUsd <= 1e9 * usd) return outcome;
  const took = `It took ${ms / 1000} s and $${nanoUsd / 1e9}, more than its task allows.`;
  return { ...outcome, hard: 0, feedback: `${took} ${outcome.feedback}` };
}

/** The provider will not take the prompt: no other try would bring a result. */
export const isTooLong = (outcome: Scored | Pending): boolean =>
  outcome.kind === "pending" && outcome.cause.class === "prompt-refused";

/** A person left the task out, and the journal has no result: none will come. */
export const isLeftOut = (outcome: Scored | Pending): boolean =>
  outcome.kind === "pending" && outcome.cause.class === "left-out";

/** The target answered and nobody could judge it: within this start no other try will. */
export const isUnjudged = (outcome: Scored | Pending): boolean =>
  outcome.kind === "pending" && outcome.cause.class === "no-verdict";

/** A result that another try may bring. */
export const isMissing = (outcome: Scored | Pending): boolean =>
  outcome.kind === "pending" && !isLeftOut(outcome);
