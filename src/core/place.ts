import type { Role } from "./ports/model.ts";

/** In the order in which a run meets them. */
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

/** Where a unit belongs, for events and reports; not part of its key. */
export interface Place {
  readonly role: Role;
  readonly step: number;
  readonly stage: Stage;
  /** Its tries are not given a second time, as in preflight. */
  readonly once?: boolean;
  /** Yields to everything that the next decision waits for. */
  readonly background?: boolean;
  /** The block of a claim that it belongs to: the executor begins the whole block together. */
  readonly block?: string;
}
