import type { ReplyProblem } from "../unusable-reply.ts";

export const editOps = ["append", "insert_after", "replace", "delete"] as const;
export type EditOp = (typeof editOps)[number];

/** One bounded change to one file of a skill, with its origin for reports. */
export interface Edit {
  readonly op: EditOp;
  /** Anchor (`insert_after`) or exact text (`replace`, `delete`). */
  readonly target?: string;
  readonly content?: string;
  /** The file of the skill. @default the main file */
  readonly file?: string;
  /** Ids of the train tasks that asked for it. */
  readonly evidence: readonly string[];
  /** The number of trajectories that support it. */
  readonly support?: number;
  readonly source?: "failure" | "success";
  readonly mergeLevel?: number;
  readonly origin?: "analyst" | "slow-update";
  /** Why the ranking kept it. */
  readonly rankReason?: string;
}

/** Equal for edits that do the same. */
export const editKey = ({ op, target, content, file }: Edit): string =>
  JSON.stringify([op, target, content, file]);

/** A few edits with the reasoning behind them. */
export interface Patch {
  readonly reasoning: string;
  readonly edits: readonly Edit[];
}

/** One analyst's result, before merging. */
export interface RawPatch extends Patch {
  readonly source: "failure" | "success";
  /** Ids of the trajectories the analyst saw. */
  readonly taskIds: readonly string[];
  /** Kinds of failures, in the analyst's words. */
  readonly patterns: readonly string[];
  /** Why the analyst's reply couldn't be used. */
  readonly unusable?: ReplyProblem;
}
