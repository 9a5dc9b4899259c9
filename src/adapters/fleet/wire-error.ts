import { type ErrorCode, type InfraClass, InfraError, WhetstoneError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { BudgetView } from "./fleet-budget.ts";

/** An error as text, so that it means the same to the coordinator as to the worker that met it. */
export function writeError(error: unknown, budget: BudgetView): string {
  return JSON.stringify({ ...fieldsOf(error), budget, isParked: error instanceof ParkedError });
}

/** A unit that ended too many workers. */
export class ParkedError extends InfraError {}

function fieldsOf(error: unknown): JsonObject {
  if (error instanceof InfraError) {
    const { message, billed, retryAfterMs = null, status = null, hint = null } = error;
    return { name: "InfraError", class: error.class, message, billed, retryAfterMs, status, hint };
  }
  if (error instanceof WhetstoneError) {
    const { code, message, hint = null } = error;
    return { name: "WhetstoneError", code, message, hint };
  }
  return { name: "Error", message: error instanceof Error ? error.message : String(error) };
}

export interface ReadError {
  readonly error: Error;
  /** Nobody may take the unit again before the run is started anew. */
  readonly isParked?: boolean;
  /** What the run had spent by then. */
  readonly budget?: BudgetView;
}

export function readError(text: string): ReadError {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // BullMQ's own words
    return { error: new InfraError("transport", `The worker lost the unit: ${text}`) };
  }
  const message = String(fields["message"]);
  const budget = fields["budget"] as BudgetView;
  const hint = typeof fields["hint"] === "string" ? { hint: fields["hint"] } : {};
  if (fields["name"] === "WhetstoneError") {
    return { error: new WhetstoneError(fields["code"] as ErrorCode, message, hint), budget };
  }
  if (fields["name"] !== "InfraError") return { error: new Error(message), budget };
  const error = new InfraError(fields["class"] as InfraClass, message, {
    billed: fields["billed"] as "no" | "unknown",
    retryAfterMs: (fields["retryAfterMs"] as number | null) ?? undefined,
    status: (fields["status"] as number | null) ?? undefined,
    ...hint,
  });
  return { error, budget, isParked: fields["isParked"] === true };
}
