import type { Measured } from "../evidence/standing.ts";

/** One change to the learned block of a document. Texts are exact, line by line. */
export type LearnedEdit =
  | { readonly op: "add"; readonly text: string }
  | { readonly op: "replace"; readonly target: string; readonly text: string }
  | { readonly op: "delete"; readonly target: string };

/** A proposed rule with its origin and evidence. One rule, one verdict. */
export interface LearnedRule extends Measured {
  /** A hash of document and edit. */
  readonly id: string;
  /** `DocumentId` of the document it belongs to. */
  readonly document: string;
  readonly edit: LearnedEdit;
  /** `stated`: a person asked for it. */
  readonly origin: "learned" | "stated";
  /** The id of the wish that it words. */
  readonly wish?: string;
  readonly provenance: Provenance;
  readonly status: LearnedStatus;
  /** A one-sentence reason for people. */
  readonly reason: string;
}

/**
 * `open`: promising or undecided, tested again on later nights. `proven`: by its tasks, with everything ever measured.
 * `stated`: requested by the person, not proven. `rejected`: by the gate or the person. `refused`: by the guard.
 * `dropped`: tested long enough without a sign.
 */
export type LearnedStatus = "open" | "proven" | "stated" | "rejected" | "refused" | "dropped" | "adopted";

export interface Provenance {
  /** Ids of the conversations that support it, sorted. */
  readonly conversations: readonly string[];
  /** Ids of the tasks that call for it, sorted. */
  readonly tasks: readonly string[];
}
