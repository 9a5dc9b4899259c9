import { type Cost } from "../cost.ts";
import type { Json } from "../json.ts";
import type { Place } from "../place.ts";
import type { Unit } from "../work/unit.ts";

export interface Dispatch {
  readonly unit: Unit;
  readonly key: string;
  readonly place: Place;
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
