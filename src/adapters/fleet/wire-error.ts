import { readObject } from "../../core/json.ts";
import {
  type ErrorCode,
  type InfraClass,
  InfraError,
  type ServerFault,
  WhetstoneError,
  exitCodes,
} from "../../core/errors.ts";
import { type BudgetView, nothingBooked } from "./fleet-budget.ts";
import type { FleetSeal, SealedText } from "./fleet-seal.ts";
import { own } from "../../core/own.ts";

/** How a job ended, according to its worker. The results themselves are in the journal. */
export interface SealedOutcome {
  /** BullMQ's id of the job. */
  readonly job: string;
  readonly budget: BudgetView;
  /** By the key of the unit that failed. */
  readonly failures: Readonly<Record<string, Fields>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Sealed, so that other people's errors mean nothing to the coordinator. */
export function sealOutcome(
  seal: FleetSeal,
  job: string,
  budget: BudgetView,
  failures: ReadonlyMap<string, unknown> = new Map(),
): SealedText {
  const byKey = Object.fromEntries([...failures].map(([key, error]) => [key, fieldsOf(error)] as const));
  const outcome: SealedOutcome = { job, budget, failures: byKey };
  return seal.seal("outcome", JSON.stringify(outcome));
}

/** A unit that crashed too many workers. */
export class ParkedError extends InfraError {}

function fieldsOf(error: unknown): Fields {
  if (error instanceof InfraError) {
    const { message, billed, retryAfterMs = null, status = null, hint = null } = error;
    const { fault = null, instead = null } = error;
    const isParked = error instanceof ParkedError;
    const told = { message, billed, retryAfterMs, status, hint, fault, instead };
    return { name: "InfraError", class: error.class, ...told, isParked };
  }
  if (error instanceof WhetstoneError) {
    const { code, message, hint = null } = error;
    return { name: "WhetstoneError", code, message, hint };
  }
  return { name: "Error", message: error instanceof Error ? error.message : String(error) };
}

export interface ReadError {
  readonly error: Error;
  /** No worker may take the unit again before the run is restarted. */
  readonly isParked?: boolean;
  /** No worker of this fleet confirmed it, so the unit may be requested again. */
  readonly isHearsay?: boolean;
  /** The amount the run had spent by then. */
  readonly budget?: BudgetView;
}

export interface ReadOutcome {
  /** Missing for a unit that didn't fail. */
  of(key: string): ReadError | undefined;
  readonly budget: BudgetView;
}

/** Undefined if no worker of this fleet says so about this job. */
export function openOutcome(seal: FleetSeal, sealed: unknown, job: string): ReadOutcome | undefined {
  const text = seal.open("outcome", sealed);
  if (text === undefined) return undefined;
  const { job: whose, budget, failures } = JSON.parse(text) as SealedOutcome;
  if (whose !== job) return undefined;
  return {
    of(key) {
      const fields = own(failures, key);
      return fields && { error: readError(fields), isParked: fields["isParked"] === true, budget };
    },
    budget,
  };
}

/** The reason given by BullMQ, or by anybody. */
export const hearsay = (words: unknown): ReadError => ({
  error: new InfraError("transport", `The worker lost the unit: ${String(words).slice(0, 300)}`),
  isHearsay: true,
  budget: nothingBooked,
});

/** The longest wait a provider asked for, in errors this process sealed and threw. */
export function pauseOf(thrown: string): number {
  const { text } = (readObject(thrown) ?? {}) as Partial<SealedText>;
  const { failures = {} } = (readObject(text) ?? {}) as Partial<SealedOutcome>;
  return Math.max(0, ...Object.values(failures).map(({ retryAfterMs }) => Number(retryAfterMs ?? 0)));
}

function readError(fields: Fields): Error {
  const message = String(fields["message"]);
  const hint = typeof fields["hint"] === "string" ? { hint: fields["hint"] } : {};
  if (fields["name"] === "WhetstoneError" && Object.hasOwn(exitCodes, String(fields["code"]))) {
    return new WhetstoneError(fields["code"] as ErrorCode, message, hint);
  }
  if (fields["name"] !== "InfraError") return new Error(message);
  return new InfraError(fields["class"] as InfraClass, message, {
    billed: fields["billed"] as "no" | "unknown",
    retryAfterMs: (fields["retryAfterMs"] as number | null) ?? undefined,
    status: (fields["status"] as number | null) ?? undefined,
    fault: (fields["fault"] as ServerFault | null) ?? undefined,
    instead: (fields["instead"] as string | null) ?? undefined,
    ...hint,
  });
}
