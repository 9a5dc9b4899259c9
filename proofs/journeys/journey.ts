import type { Ending } from "./end-training.ts";
import type { ParcelWorld } from "./parcel-world.ts";
import type { Stranger } from "./stranger.ts";

/** What somebody brings, and how they go on. */
export interface Journey {
  readonly name: string;
  /** Text by path, in a project that `npm init -y` made. */
  readonly files: (world: ParcelWorld) => Readonly<Record<string, string>>;
  /** The share of replies that are empty or cut off. @default none */
  readonly odd?: number;
  /** Types until it ends, in an adoption or in a refusal. */
  readonly live: (person: Stranger, place: Place) => Promise<Ending>;
}

export interface Place {
  readonly world: ParcelWorld;
  /** The API of the model's server, which ends in `/v1`. */
  readonly url: string;
}
