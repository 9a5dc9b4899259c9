import type { InfraClass } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Message } from "../ports/model.ts";
import type { UnusableReply } from "../unusable-reply.ts";
import type { Used } from "../used.ts";
import type { TaskLimits } from "./task.ts";

/** The outcome of a task. Only `scored` is evidence; averaging anything else doesn't type-check. */
export type Outcome = Scored | Pending | Invalid;

export interface Scored {
  readonly kind: "scored";
  /** Pass or fail, in [0, 1]; may be fractional. */
  readonly hard: number;
  /** Partial credit, in [0, 1]. */
  readonly soft: number;
  /** Why, for the analyst: the expected and the actual result. */
  readonly feedback: string;
  /** The result of each check of the task, in order. */
  readonly checks?: readonly CheckOutcome[];
  /** The target's conversation. */
  readonly conversation: readonly Message[];
  readonly extras?: Json;
  /** The model's id as the provider returned it. */
  readonly model?: string;
  /** Set by the rollout if the target's last reply couldn't be used as an answer. */
  readonly reply?: UnusableReply;
  /** The target's tokens, turns and time, set by the rollout. */
  readonly used?: Used;
  /** The hosts that answered for target and judge, set by the rollout. */
  readonly hosts?: readonly string[];
}

/** The result of one check on one performance. */
export interface CheckOutcome {
  readonly pass: boolean;
  /** The expected result, and the actual one: `to contain "42"`. */
  readonly expected: string;
}

/**
 * Provider, network, sandbox, CLI or login failed, so it can be retried. `prompt-refused`: the prompt is too long for the
 * model. `left-out`: a person left the task out. `no-verdict`: none of the judge's replies could be used.
 */
export interface Pending {
  readonly kind: "pending";
  readonly cause: {
    readonly class: InfraClass;
    readonly message: string;
    /** The next step, when it isn't the usual one. */
    readonly next?: string;
  };
}

/** A broken check or task that a person must fix. */
export interface Invalid {
  readonly kind: "invalid";
  readonly reason: string;
}

/** Fails a rollout that took more than its task allows. Unknown times, such as in a batch, count as within limits. */
export function withinLimits(outcome: Scored, { seconds = Infinity, usd = Infinity }: TaskLimits): Scored {
  const { ms = 0, nanoUsd = 0 } = outcome.used ?? {};
  if (ms <= 1000 * seconds && nanoUsd <= 1e9 * usd) return outcome;
  const took = `It took ${ms / 1000} s and $${nanoUsd / 1e9}, more than its task allows.`;
  return { ...outcome, hard: 0, feedback: `${took} ${outcome.feedback}` };
}

/** Whether the provider refuses the prompt, so that retries can't help. */
export const isTooLong = (outcome: Scored | Pending): boolean =>
  outcome.kind === "pending" && outcome.cause.class === "prompt-refused";

/** Whether a person left the task out and the journal has no result, so none will come. */
export const isLeftOut = (outcome: Scored | Pending): boolean =>
  outcome.kind === "pending" && outcome.cause.class === "left-out";

/** Whether the target answered but the judge couldn't score it. This execution won't try again. */
export const isUnjudged = (outcome: Scored | Pending): boolean =>
  outcome.kind === "pending" && outcome.cause.class === "no-verdict";

/** Whether another try may bring a result. */
export const isMissing = (outcome: Scored | Pending): boolean =>
  outcome.kind === "pending" && !isLeftOut(outcome);
