import type { Place } from "../place.ts";
import type { Json } from "../json.ts";
import type { Meter } from "../ports/agent.ts";
import type { Cost } from "../cost.ts";
import type { Unit } from "./unit.ts";
import { WhetstoneError } from "../errors.ts";

export interface HandlerCall {
  readonly key: string;
  readonly place: Place;
  readonly signal: AbortSignal;
  /** For units that make many calls: each is booked by itself. */
  readonly meter: Meter;
  /** Whether the run calls nobody else just now. */
  readonly isIdle?: () => boolean;
  /** Aborted once the run is to end. */
  readonly stopping?: AbortSignal;
}

/** How one kind of unit is run, wherever it runs. */
export interface UnitHandler {
  readonly kind: string;
  readonly version: number;
  /** Whose limits the unit shares: `provider/model`, or the environment's name. */
  lane(input: Json): string;
  /** An upper bound of what it can cost, beside what it meters itself. */
  worst(input: Json): Cost;
  /** Set when all of its cost goes through the meter. */
  readonly metered?: boolean;
  /** How many may run at a time on this machine. @default as many as the lane allows */
  parallel?(input: Json): number;
  /** Whether nobody is called, so that no lane need be waited for. @default false */
  isUnlimited?(input: Json): boolean;
  /** Whether a call that an earlier process began is resumed, so that it costs once. @default false */
  resumes?(input: Json): boolean;
  /** Throws `InfraError` when the world failed. */
  run(input: Json, call: HandlerCall): Promise<{ readonly output: Json; readonly cost: Cost }>;
}

export type Handlers = ReadonlyMap<string, UnitHandler>;

export const createHandlers = (handlers: readonly UnitHandler[]): Handlers =>
  new Map(handlers.map((handler) => [`${handler.kind}@${handler.version}`, handler]));

export function findHandler(handlers: Handlers, unit: Unit): UnitHandler {
  const handler = handlers.get(`${unit.kind}@${unit.version}`);
  if (handler === undefined) {
    throw new WhetstoneError("not-found", `No handler for ${unit.kind}@${unit.version} is registered.`, {
      hint: "The run was made by a version of whetstone with other units; use that version.",
    });
  }
  return handler;
}
