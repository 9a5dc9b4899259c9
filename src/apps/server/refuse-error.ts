import { type ErrorCode, WhetstoneError } from "../../core/errors.ts";
import { ended } from "../../core/one-line.ts";
import type { Refusal } from "./refusal.ts";

/** Turns an error into a refusal with the same code, message and next step that the command line prints. */
export function refuseError(error: unknown): Refusal {
  if (error instanceof WhetstoneError) {
    const { code, message, hint } = error;
    const more = `\`whetstone explain ${code}\` says more.`;
    return {
      status: statuses[code] ?? 500,
      code,
      message,
      hint: hint === undefined ? more : `${ended(hint)} ${more}`,
    };
  }
  return {
    status: 500,
    code: "failed",
    message: error instanceof Error ? error.message : String(error),
    hint: "This shouldn't happen. Please report it, with the output of `whetstone ui` in the terminal.",
  };
}

/** Codes about the request or the current state; all others are server errors. */
const statuses: Partial<Record<ErrorCode, Refusal["status"]>> = {
  usage: 400,
  "not-found": 404,
  unproven: 409,
  "hidden-text": 409,
  "live-changed": 409,
  "live-locked": 409,
  "run-locked": 409,
  "proposal-damaged": 409,
  "state-damaged": 409,
  "skill-invalid": 409,
  unacknowledged: 409,
};
