import type { Json } from "../json.ts";

/** One check on the target's answer. `hard` = all pass, `soft` = weighted share. */
export interface Check {
  /** A scorer's name: `exact`, `contains`, `regex`, `number`, `json-schema`, `file`, `command`, `rubric`, … */
  readonly kind: string;
  /** The value that the kind compares with. */
  readonly value: Json;
  /** Its share of the partial credit. @default 1 */
  readonly weight?: number;
  /** Whether to pass when the check fails. @default false */
  readonly negate?: boolean;
  /** The part that it reads. @default "answer" */
  readonly on?: CheckedPart;
}

/**
 * The part of a rollout that a check reads: the answer, the trace as JSON lines, the paths of files it made, one per
 * line, or one file's content.
 */
export type CheckedPart = "answer" | "trace" | "files" | { readonly file: string };

export interface Task {
  /** A unique name. Results, splits and `leaveOut` refer to it. */
  readonly id: string;
  /** The question or job for the target. */
  readonly input: string;
  /** A conversation that `input` continues, oldest turn first. @default none */
  readonly before?: readonly EarlierTurn[];
  /** The output contract (required format or language). The target sees it, and the optimizer can't break it. */
  readonly system?: string;
  /** Accepted answers. `hard` = exact match of any, `soft` = best token F1. */
  readonly answers?: readonly string[];
  /** A correct answer must pass all of these checks. */
  readonly checks?: readonly Check[];
  /** Text for the analyst. It's shown for train tasks only. */
  readonly reference?: string;
  /** Files in the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Commit of the project's repository that the workspace starts from. `files` are put on top of it. */
  readonly checkout?: string;
  /** A name for tasks of one kind, for your own environment and scorers. */
  readonly type?: string;
  /** Tasks of one group (one conversation, one source) stay in one split. */
  readonly group?: string;
  /** Limits of one rollout: seconds without waiting for rate limits, and US dollars without the judge's. Above them it fails. */
  readonly limits?: TaskLimits;
  /** How much it counts in scores and claims. @default 1 */
  readonly weight?: number;
  /** It hasn't been reviewed yet, so it's only used for training, never for measuring. */
  readonly draft?: boolean;
  /** Anything else you want to keep with it. Your own environment and scorers see it. */
  readonly metadata?: { readonly [key: string]: Json };
}

/** A person's prompt, with the agent's final answer. */
export type EarlierTurn = Readonly<Record<"prompt" | "answer", string>>;

export type TaskLimits = Readonly<Partial<Record<"seconds" | "usd", number>>>;

export const splitNames = ["train", "val", "test"] as const;

export type SplitName = (typeof splitNames)[number];

export type Splits = Readonly<Record<SplitName, readonly Task[]>>;
