import { type Cost } from "../cost.ts";
import type { Json } from "../json.ts";
import type { Place } from "../place.ts";
import type { Unit } from "../work/unit.ts";

export interface Dispatch {
  readonly unit: Unit;
  readonly key: string;
  readonly place: Place;
}

/** Runs units somewhere. Returns the recorded output, or throws `InfraError` when its tries are used up. */
export interface Executor {
  execute(dispatch: Dispatch): Promise<Executed>;
}

export interface Executed {
  readonly output: Json;
  readonly cost: Cost;
  /** Duration of the successful try, and the number of tries. */
  readonly ms: number;
  readonly tries: number;
}
