import type { Role } from "./ports/model.ts";

/** The stages in the order of a run. */
export const stageOrder = [
  "preflight",
  "calibrate",
  "draft",
  "mine",
  "baseline",
  "rollout",
  "reflect",
  "aggregate",
  "select",
  "update",
  "evaluate",
  "regression",
  "epoch",
  "confirm",
  "test",
] as const;

export type Stage = (typeof stageOrder)[number];

/** A unit's place in a run, for events and reports. It's not part of the unit's key. */
export interface Place {
  readonly role: Role;
  readonly step: number;
  readonly stage: Stage;
  /** It isn't asked again after its tries have failed, as in preflight. */
  readonly once?: boolean;
  /** It yields to all work that the next decision needs. */
  readonly background?: boolean;
  /** Its block in a claim. The executor starts a whole block together. */
  readonly block?: string;
}
