import type { Json } from "../json.ts";
import type { RawPatch } from "../skill/edit.ts";
import type { AgentRequest, AgentRun } from "../ports/agent.ts";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { Message, Reply } from "../ports/model.ts";
import type { AnswerScore, Performance } from "../scorers/performance.ts";
import type { Skill } from "../skill/skill.ts";
import type { Invalid, Outcome } from "./outcome.ts";
import type { SplitName, Task } from "./task.ts";

/** One chat call. The role determines the model. */
export interface Question {
  readonly system?: string;
  readonly messages: readonly Message[];
}

/** One rollout of the target. The run adds the agent's name and limits. */
export type AgentTask = Omit<AgentRequest, "agent" | "version" | "limits">;

/** The tools of a custom environment. All their results are journaled, so a crash never means paying twice. */
export interface EnvironmentContext {
  readonly split: SplitName;
  readonly seed: number;
  readonly trial: number;
  /** Asks the target. */
  readonly model: { generate(question: Question): Promise<Reply> };
  /** Runs the target if it's an agent with tools; missing if it's a chat model. */
  readonly agent?: { run(task: AgentTask): Promise<AgentRun> };
  /** Asks the judge. */
  readonly judge: { generate(question: Question): Promise<Reply> };
  /** Runs a grader in its own sandbox. */
  readonly command: (request: CommandRequest) => Promise<CommandRun>;
  /** Scores by the task's own answers or checks. */
  readonly score: (task: Task, performance: Performance) => Promise<AnswerScore | Invalid>;
  readonly extras: { readonly [key: string]: Json };
  readonly signal: AbortSignal;
}

/** Runs a skill on a task and scores it. `name` and `version` are part of every key. */
export interface Environment {
  readonly name: string;
  /** Change it whenever you edit the scorer, so that it never meets stale results. */
  readonly version: string;
  /** Set if `run` acts only through its context. Then it's run again instead of being journaled. */
  readonly throughContext?: boolean;
  setup?(): Promise<void>;
  teardown?(): Promise<void>;
  run(task: Task, skill: Skill, context: EnvironmentContext): Promise<Outcome>;
  /** Proposes patches from the environment's own analysis, instead of our analysts. */
  reflect?(
    rolled: readonly { readonly task: Task; readonly outcome: Outcome }[],
    skill: Skill,
  ): Promise<readonly RawPatch[]>;
  /** Gives the analyst a text about a train task. */
  reference?(task: Task): string | undefined;
  /** Task types for stratified batches. */
  readonly types?: readonly string[];
}
