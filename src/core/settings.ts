import type { Json } from "./json.ts";
import type { AgentLimits } from "./ports/agent.ts";
import type { TokenBudgets } from "./skill/token-budgets.ts";

/** What can change a decision: part of the run's identity. Every field is set; users write `Config`. */
export interface TrainSettings {
  /** What is trained: what the skill says, or the description by which agents choose to load it. */
  readonly track: "body" | "description";
  readonly epochs: number;
  readonly batchSize: number;
  readonly minibatchSize: number;
  readonly mergeBatchSize: number;
  readonly editBudget: number;
  readonly minEditBudget: number;
  readonly schedule: "constant" | "linear" | "cosine" | "autonomous";
  /** Train tasks per step = `batchSize` × `accumulation`. */
  readonly accumulation: number;
  readonly updateMode: "patch" | "rewrite" | "full-rewrite";
  readonly gate: "filter" | "strict" | "paired" | "off";
  /** Trials per task and arm of the `paired` gate, of `noise` and of `prune`. */
  readonly trials: number;
  /** Trials per task and arm of a claim; `auto`: as many as find +20 points in 80 of 100 cases, at most ten. */
  readonly claimTrials: number | "auto";
  /** Of the `paired` gate. */
  readonly alpha: number;
  readonly sealedAlpha: number;
  /** Whether a task that was passed always and is now failed always blocks an accept of the `paired` gate. */
  readonly regressions: "block" | "report";
  /** Stop a candidate's evaluation once its verdict is certain: fewer rollouts, more rounds. */
  readonly stopEarly: boolean;
  /** Rollouts per train task; more than one: contrastive reflection. */
  readonly attempts: number;
  readonly slowUpdate: boolean;
  /** Train tasks looked at again at an epoch's end. */
  readonly slowUpdateSamples: number;
  readonly metaSkill: boolean;
  /** Rules that exist but were not followed become reminders in a protected appendix. */
  readonly skillAware: boolean;
  /** Also measure no skill and a one-shot rewrite. */
  readonly baselines: boolean;
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
  /** Largest size of all that may be edited, in characters. */
  readonly maxSkillLength: number;
  /** Largest size of each surface of the skill. */
  readonly tokenBudgets: TokenBudgets;
  /** What one rollout of an agent may use. */
  readonly agentLimits: AgentLimits;
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
