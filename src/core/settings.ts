import type { Json } from "./json.ts";

/** What can change a decision: part of the run's identity. Every field is set; users write `Config`. */
export interface TrainSettings {
  readonly epochs: number;
  readonly batchSize: number;
  readonly minibatchSize: number;
  readonly mergeBatchSize: number;
  readonly editBudget: number;
  readonly minEditBudget: number;
  readonly schedule: "constant" | "linear" | "cosine";
  readonly gate: "strict";
  readonly metric: "hard" | "soft" | "mixed";
  readonly mixedWeight: number;
  readonly maxPendingShare: number;
  readonly failureOnly: boolean;
  readonly seed: number;
  readonly evalTest: boolean;
  readonly targetMaxTokens: number;
  readonly optimizerMaxTokens: number;
  /** Sent only when set: many models refuse it. */
  readonly temperature?: number;
  /** Allows edits to scripts of the skill. */
  readonly allowScripts: boolean;
  /** Largest size of the whole skill in characters. */
  readonly maxSkillLength: number;
  /** Replaced optimizer instructions, by contract name. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Handed to the environment and the prompts as it is. */
  readonly extras: { readonly [key: string]: Json };
  /** `--fresh <word>`: an independent repetition. */
  readonly fresh?: string;
}

/** Limits on what a run may use; raising one continues the same run. */
export interface SpendCaps {
  readonly usd?: number;
  readonly tokens?: number;
  readonly calls?: number;
  readonly minutes?: number;
}
