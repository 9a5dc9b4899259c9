import { type ErrorCode, InfraError, WhetstoneError } from "../../core/errors.ts";
import type { Role } from "../../core/ports/model.ts";
import { nextStepOf } from "../../core/unanswered.ts";

/** One thing that `whetstone doctor` checked. */
export interface Finding {
  readonly about: string;
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  /** The error code that a run would end with, if there is one. */
  readonly code?: ErrorCode;
  /** The next step. */
  readonly next?: string;
}

/** Reports the result of a check, or the error that prevented it. */
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

/** A role's failed call, with the message a run would show. */
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
  if (error.retryable) return "Run the same command again when the server answers.";
  return "Fix what the server reported, then run the same command again.";
}
