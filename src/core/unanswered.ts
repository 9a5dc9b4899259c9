import { type InfraError, WhetstoneError } from "./errors.ts";
import type { Role } from "./ports/model.ts";

/** Stops the run when a model doesn't answer: with the code of its server's fault if known, else resumable. */
export function unanswered(
  model: string,
  role: Role,
  error: InfraError,
  usual = "Run the same command again once the provider answers: finished work is kept.",
): WhetstoneError {
  return new WhetstoneError(error.fault ?? "too-many-pending", `${model} (${role})${saidOf(error)}`, {
    cause: error,
    hint: nextStepOf(error, role) ?? usual,
  });
}

/** An error status is an answer too. A server's fault has its own sentence. */
const saidOf = ({ fault, status, message }: InfraError): string =>
  fault !== undefined
    ? `: ${message}`
    : ` ${status === undefined ? "doesn't answer:" : "answers"} ${message}`;

/** The next step after a failed model call, with the role's own flag; undefined if it's the usual one. */
export const nextStepOf = ({ instead, hint }: InfraError, role: Role): string | undefined =>
  instead === undefined ? hint : `Give --${role} ${instead}${hint === undefined ? "" : `; ${hint}`}`;
