import { type ErrorCode, type InfraClass, InfraError, WhetstoneError } from "../../core/errors.ts";
import type { BudgetView } from "./fleet-budget.ts";

/** Errors as text, by the key of the unit that met them, so that they mean the same to the coordinator as to the worker. */
export function writeFailures(failures: ReadonlyMap<string, unknown>, budget: BudgetView): string {
  const byKey = [...failures].map(([key, error]) => [key, fieldsOf(error)] as const);
  return JSON.stringify({ failures: Object.fromEntries(byKey), budget });
}

/** The same for a job whose units nobody can read. */
export const writeFailure = (error: Error): string => JSON.stringify(fieldsOf(error));

/** A unit that ended too many workers. */
export class ParkedError extends InfraError {}

function fieldsOf(error: unknown): Fields {
  if (error instanceof InfraError) {
    const { message, billed, retryAfterMs = null, status = null, hint = null } = error;
    const isParked = error instanceof ParkedError;
    return { name: "InfraError", class: error.class, message, billed, retryAfterMs, status, hint, isParked };
  }
  if (error instanceof WhetstoneError) {
    const { code, message, hint = null } = error;
    return { name: "WhetstoneError", code, message, hint };
  }
  return { name: "Error", message: error instanceof Error ? error.message : String(error) };
}

type Fields = Readonly<Record<string, unknown>>;

export interface ReadError {
  readonly error: Error;
  /** Nobody may take the unit again before the run is started anew. */
  readonly isParked?: boolean;
  /** What the run had spent by then. */
  readonly budget?: BudgetView;
}

export interface ReadFailures {
  /** Missing for a unit that did not fail. */
  of(key: string): ReadError | undefined;
  /** The longest that a provider asked for. */
  readonly retryAfterMs: number;
  readonly budget?: BudgetView;
}

export function readFailures(text: string): ReadFailures {
  const written = parse(text);
  if (written === undefined) {
    // BullMQ's own words
    const lost = { error: new InfraError("transport", `The worker lost the unit: ${text}`) };
    return { of: () => lost, retryAfterMs: 0 };
  }
  const budget = written["budget"] === undefined ? {} : { budget: written["budget"] as BudgetView };
  const byKey = written["failures"] as Readonly<Record<string, Fields>> | undefined;
  const fieldsFor = (key: string) => (byKey === undefined ? written : byKey[key]);
  const pauses = Object.values(byKey ?? {}).map(({ retryAfterMs }) => Number(retryAfterMs ?? 0));
  return {
    of(key) {
      const fields = fieldsFor(key);
      return fields && { error: readError(fields), isParked: fields["isParked"] === true, ...budget };
    },
    retryAfterMs: Math.max(0, ...pauses),
    ...budget,
  };
}

function parse(text: string): Fields | undefined {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return undefined;
  }
}

function readError(fields: Fields): Error {
  const message = String(fields["message"]);
  const hint = typeof fields["hint"] === "string" ? { hint: fields["hint"] } : {};
  if (fields["name"] === "WhetstoneError") {
    return new WhetstoneError(fields["code"] as ErrorCode, message, hint);
  }
  if (fields["name"] !== "InfraError") return new Error(message);
  return new InfraError(fields["class"] as InfraClass, message, {
    billed: fields["billed"] as "no" | "unknown",
    retryAfterMs: (fields["retryAfterMs"] as number | null) ?? undefined,
    status: (fields["status"] as number | null) ?? undefined,
    ...hint,
  });
}
