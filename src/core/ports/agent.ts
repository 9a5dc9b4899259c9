import type { Files } from "../files.ts";
import type { Json } from "../json.ts";
import type { Cost } from "../cost.ts";
import type { Message, Usage } from "./model.ts";

/** One rollout of an agent, as data: together with the draw it determines the result. */
export interface AgentRequest {
  /** `agent/model`, such as `claude-code/claude-sonnet-4-5`. */
  readonly agent: string;
  /** The agent's own version: another one is another agent. */
  readonly version: string;
  readonly prompt: string;
  /** The workspace at the start. */
  readonly files: Files;
  /** A commit that lies below `files`. Where its repository is, is not content: it belongs to the agent. */
  readonly checkout?: string;
  /** Installed where the agent looks for skills: the candidate, then its neighbours. */
  readonly skills: readonly InstalledSkill[];
  /** Standing instructions (AGENTS.md, CLAUDE.md, …), put where this agent reads its own. */
  readonly instructions?: string;
  readonly limits: AgentLimits;
  /** End once a skill is loaded or the first answer is complete: all that a trigger query asks. */
  readonly untilSkill?: boolean;
}

export interface InstalledSkill {
  /** The name of its folder, which is also its `name`. */
  readonly name: string;
  /** With SKILL.md. */
  readonly files: Files;
  /** Paths that must be executable. */
  readonly executable: readonly string[];
}

/** Reaching one is an outcome of the task, not a failure of the world. */
export interface AgentLimits {
  readonly turns: number;
  /** Calls of the model. */
  readonly calls: number;
  readonly tokens: number;
  /** Active time: waiting for the provider does not count. */
  readonly seconds: number;
  readonly memoryMb: number;
  readonly processes: number;
  readonly diskMb: number;
}

export interface AgentRun {
  /** What the agent said last. */
  readonly text: string;
  /** `done`, or the limit that it met; `refused`: the model declined. */
  readonly ended:
    | "done"
    | "length"
    | "turns"
    | "calls"
    | "tokens"
    | "time"
    | "memory"
    | "processes"
    | "disk"
    | "refused";
  /** From the event stream, never from printed text. */
  readonly toolCalls: readonly ToolCall[];
  /** Files of the workspace that were written, with their new content, or deleted (null). */
  readonly changed: Readonly<Record<string, string | null>>;
  readonly skills: {
    /** Names that the agent was told of, as far as it says. */
    readonly offered: readonly string[];
    /** Names whose text it read. */
    readonly loaded: readonly string[];
  };
  /** What happened, for the analyst. */
  readonly conversation: readonly Message[];
  readonly usage: Usage;
  /** Calls of the model. */
  readonly calls: number;
  /** Fields and headers that were taken out of its requests, because nobody knows what they would do. */
  readonly removed?: readonly string[];
}

export interface ToolCall {
  readonly name: string;
  readonly input: Json;
  /** At most 4,000 characters. */
  readonly output: string;
  readonly failed: boolean;
}

/** An agent with tools, in its box. Throws `InfraError` when the world around it failed, and nothing else but a stop. */
export interface Agent {
  /** `agent/model`, also the lane whose limits its rollouts share. */
  readonly id: string;
  readonly version: string;
  /** How many may run at a time on this machine. */
  readonly parallel: number;
  run(request: AgentRequest, call: AgentCall): Promise<AgentRun>;
}

export interface AgentCall {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly meter: Meter;
}

/** Books the model calls inside a rollout one by one, so that a cap holds between them. */
export interface Meter {
  /** Waits until the worst case fits under the caps; throws `spend-cap` when it cannot. Then the call may be made. */
  begin(worst: Cost): Promise<MeteredCall>;
}

export interface MeteredCall {
  /** Books what it cost; `worst` when nobody knows. */
  end(cost: Cost | "worst"): Promise<void>;
}
