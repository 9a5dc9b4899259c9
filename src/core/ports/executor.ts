import type { Json } from "../json.ts";
import type { Place } from "../context.ts";
import type { Unit } from "../unit.ts";

export interface Dispatch {
  readonly unit: Unit;
  readonly key: string;
  readonly place: Place;
  readonly signal: AbortSignal;
}

/** Runs units somewhere. Gives the recorded output, or throws `InfraError` after its tries. */
export interface Executor {
  execute(dispatch: Dispatch): Promise<Executed>;
}

export interface Executed {
  readonly output: Json;
  readonly cost: Cost;
  /** Milliseconds of the successful try, and how many tries there were. */
  readonly ms: number;
  readonly tries: number;
}

/** What one call costs: integers, so that sums do not depend on their order. */
export interface Cost {
  /** Billionths of a US dollar, each call rounded up. */
  readonly nanoUsd: number;
  readonly tokens: number;
  readonly calls: number;
}
