import type { Json } from "../json.ts";

/** One check on the target's answer. `hard` = all pass, `soft` = weighted share. */
export interface Check {
  /** A scorer's name: `exact`, `contains`, `regex`, `number`, `json-schema`, `file`, `command`, `rubric`, … */
  readonly kind: string;
  /** What the kind compares with. */
  readonly value: Json;
  /** Its part of the partial credit. @default 1 */
  readonly weight?: number;
  /** Passes when the check fails. @default false */
  readonly negate?: boolean;
  /** What it reads. @default "answer" */
  readonly on?: CheckedPart;
}

/**
 * A part of what an agent did: its answer; all that it said and did, as JSON lines; the paths of the files that it made, one
 * per line; or the content of one file.
 */
export type CheckedPart = "answer" | "trace" | "files" | { readonly file: string };

export interface Task {
  /** A name of its own. Results, splits and `leaveOut` go by it. */
  readonly id: string;
  /** What the target is asked. */
  readonly input: string;
  /** A conversation that `input` goes on with, oldest first. @default none */
  readonly before?: readonly EarlierTurn[];
  /** The output contract (required format or language): shown to the target, guardrail for the optimizer. */
  readonly system?: string;
  /** Accepted answers: hard = exact match of any, soft = best token F1. */
  readonly answers?: readonly string[];
  /** What a right answer must do: all of them. */
  readonly checks?: readonly Check[];
  /** Text for the analyst, about train tasks only. */
  readonly reference?: string;
  /** What lies in the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Commit of the project's repository that the workspace starts from; `files` are laid over it. */
  readonly checkout?: string;
  /** A name for tasks of one kind, for your own environment and scorers. */
  readonly type?: string;
  /** Tasks of one group (one conversation, one source) stay in one split. */
  readonly group?: string;
  /** The most that one rollout may take: seconds without waiting for rate limits, and US dollars without the judge's. One that takes more doesn't pass. */
  readonly limits?: TaskLimits;
  /** How much it counts in scores and claims. @default 1 */
  readonly weight?: number;
  /** Nobody has reviewed it yet: it may be practised on, but nothing is judged by it. */
  readonly draft?: boolean;
  /** What else you want to keep with it: your own environment and scorers see it. */
  readonly metadata?: { readonly [key: string]: Json };
}

/** A prompt of a person, with the agent's last words on it. */
export type EarlierTurn = Readonly<Record<"prompt" | "answer", string>>;

export type TaskLimits = Readonly<Partial<Record<"seconds" | "usd", number>>>;

export const splitNames = ["train", "val", "test"] as const;

export type SplitName = (typeof splitNames)[number];

export type Splits = Readonly<Record<SplitName, readonly Task[]>>;
