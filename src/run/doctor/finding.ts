import { type ErrorCode, InfraError, WhetstoneError } from "../../core/errors.ts";
import type { Role } from "../../core/ports/model.ts";
import { nextStepOf } from "../../core/unanswered.ts";

/** One thing that `whetstone doctor` looked at. */
export interface Finding {
  readonly about: string;
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  /** What a run would end with, where that has a name. */
  readonly code?: ErrorCode;
  /** What to do about it. */
  readonly next?: string;
}

/** What was seen, or what kept it from being seen. */
export async function look(about: string, see: () => Promise<string>): Promise<Finding> {
  try {
    return { about, status: "ok", text: await see() };
  } catch (error) {
    return failure(about, error);
  }
}

export function failure(about: string, error: unknown): Finding {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof InfraError)
    return { about, status: "fail", text, next: error.hint ?? usualStep(error) };
  const next = error instanceof WhetstoneError ? error.hint : undefined;
  return { about, status: "fail", text, next: next ?? "See the message." };
}

/** A call of a role that failed, with what a run would say about it. */
export function failedCall(role: Role, id: string, error: unknown): Finding {
  if (!(error instanceof InfraError)) return failure(role, error);
  const { fault, message } = error;
  return {
    about: role,
    status: "fail",
    ...(fault === undefined ? {} : { code: fault }),
    text: `${id}: ${message}`,
    next: nextStepOf(error, role) ?? usualStep(error),
  };
}

function usualStep(error: InfraError): string {
  if (error.class === "money") return "Add credit or raise the limit at the provider.";
  if (error.retryable) return "Start the same command again when the server answers.";
  return "The server said why; change that, then start the same command again.";
}
