import type { Place } from "../place.ts";
import type { Json } from "../json.ts";
import type { Meter } from "../ports/agent.ts";
import type { Cost } from "../cost.ts";
import type { Unit } from "./unit.ts";
import type { UnitKind } from "./unit-kinds.ts";
import { WhetstoneError } from "../errors.ts";

export interface HandlerCall {
  readonly key: string;
  readonly place: Place;
  readonly signal: AbortSignal;
  /** For units that make many calls, so that each call is booked by itself. */
  readonly meter: Meter;
  /** How long a model may take to answer. @default the model's own limit */
  readonly deadlineMs?: () => number;
  /** Whether the run has no other calls in flight. */
  readonly isIdle?: () => boolean;
}

/** Runs one kind of unit, on any executor. */
export interface UnitHandler<Input = Json, Output = Json> {
  readonly kind: string;
  readonly version: number;
  /** The lane whose limits the unit shares: `provider/model`, or the environment's name. */
  lane(input: Input): string;
  /** The unit's maximum cost, apart from calls that it meters itself. */
  worst(input: Input): Cost;
  /** Set if its whole cost goes through the meter. */
  readonly metered?: boolean;
  /** Whether a local server does it, which may take one call at a time and isn't billed. @default false */
  isNear?(input: Input): boolean;
  /** How many may run at a time on this machine. @default as many as the lane allows */
  parallel?(input: Input): number;
  /** Whether it makes no calls, so that it needn't wait for a lane. @default false */
  isUnlimited?(input: Input): boolean;
  /** Throws `InfraError` when the infrastructure failed. */
  run(input: Input, call: HandlerCall): Promise<{ readonly output: Output; readonly cost: Cost }>;
}

/** Makes a handler for a kind with a known shape. Inputs are checked first. */
export function unitHandler<Input, Output>(
  kind: UnitKind<Input, Output>,
  handler: Omit<UnitHandler<Input, Output>, "kind" | "version">,
): UnitHandler {
  const { metered, isNear, parallel, isUnlimited } = handler;
  const read = kind.readInput;
  return {
    kind: kind.kind,
    version: kind.version,
    metered,
    lane: (input) => handler.lane(read(input)),
    worst: (input) => handler.worst(read(input)),
    isNear: isNear && ((input) => isNear(read(input))),
    parallel: parallel && ((input) => parallel(read(input))),
    isUnlimited: isUnlimited && ((input) => isUnlimited(read(input))),
    async run(input, call) {
      const { output, cost } = await handler.run(read(input), call);
      return { output: output as Json, cost };
    },
  };
}

export type Handlers = ReadonlyMap<string, UnitHandler>;

export const createHandlers = (handlers: readonly UnitHandler[]): Handlers =>
  new Map(handlers.map((handler) => [`${handler.kind}@${handler.version}`, handler]));

export function findHandler(handlers: Handlers, unit: Unit): UnitHandler {
  const handler = handlers.get(`${unit.kind}@${unit.version}`);
  if (handler === undefined) {
    throw new WhetstoneError("not-found", `No handler for ${unit.kind}@${unit.version} is registered.`, {
      hint: "The run was made by a version of whetstone with different units. Use that version.",
    });
  }
  return handler;
}
