import { type InfraError, WhetstoneError } from "./errors.ts";
import type { Role } from "./ports/model.ts";

/** A model that gives no answer stops the run: with the code of what is wrong with its server, else resumable. */
export function unanswered(
  model: string,
  role: Role,
  error: InfraError,
  usual = "Start the same command again once the provider answers: finished work is kept.",
): WhetstoneError {
  return new WhetstoneError(error.fault ?? "too-many-pending", `${model} (${role})${saidOf(error)}`, {
    cause: error,
    hint: nextStepOf(error, role) ?? usual,
  });
}

/** An error is an answer too, unless the server has a fault, which has a sentence of its own. */
const saidOf = ({ fault, status, message }: InfraError): string =>
  fault !== undefined
    ? `: ${message}`
    : ` ${status === undefined ? "does not answer:" : "answers"} ${message}`;

/** What to do about an error of a model call, in the words of the role that made it; undefined where it is the usual. */
export const nextStepOf = ({ instead, hint }: InfraError, role: Role): string | undefined =>
  instead === undefined ? hint : `Give --${role} ${instead}${hint === undefined ? "" : `; ${hint}`}`;
