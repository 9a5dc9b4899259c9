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
  /** For units that make many calls: each is booked by itself. */
  readonly meter: Meter;
  /** How long a model may take to answer. @default as the model has it */
  readonly deadlineMs?: () => number;
  /** Whether the run calls nobody else just now. */
  readonly isIdle?: () => boolean;
}

/** How one kind of unit is run, wherever it runs. */
export interface UnitHandler<Input = Json, Output = Json> {
  readonly kind: string;
  readonly version: number;
  /** Whose limits the unit shares: `provider/model`, or the environment's name. */
  lane(input: Input): string;
  /** An upper bound of what it can cost, beside what it meters itself. */
  worst(input: Input): Cost;
  /** Set when all of its cost goes through the meter. */
  readonly metered?: boolean;
  /** Whether a server on this machine does it: it may work on one call at a time, and sells nothing. @default false */
  isNear?(input: Input): boolean;
  /** How many may run at a time on this machine. @default as many as the lane allows */
  parallel?(input: Input): number;
  /** Whether nobody is called, so that no lane need be waited for. @default false */
  isUnlimited?(input: Input): boolean;
  /** Throws `InfraError` when the world failed. */
  run(input: Input, call: HandlerCall): Promise<{ readonly output: Output; readonly cost: Cost }>;
}

/** A handler of a kind whose input and output are known: what comes in is checked first. */
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
      hint: "The run was made by a version of whetstone with other units; use that version.",
    });
  }
  return handler;
}
