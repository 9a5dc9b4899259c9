import type { Json } from "../json.ts";
import type { RawPatch } from "../skill/edit.ts";
import type { AgentRequest, AgentRun } from "../ports/agent.ts";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { Message, Reply } from "../ports/model.ts";
import type { AnswerScore, Performance } from "../scorers/performance.ts";
import type { Skill } from "../skill/skill.ts";
import type { Invalid, Outcome } from "./outcome.ts";
import type { SplitName, Task } from "./task.ts";

/** One chat call; the model belongs to the role. */
export interface Question {
  readonly system?: string;
  readonly messages: readonly Message[];
}

/** One rollout of the target; its name and limits belong to the run. */
export type AgentTask = Omit<AgentRequest, "agent" | "version" | "limits">;

/** What a custom environment may use. Everything it gives is journaled, so a crash never buys it twice. */
export interface EnvironmentContext {
  readonly split: SplitName;
  readonly seed: number;
  readonly trial: number;
  /** Asks the target. */
  readonly model: { generate(question: Question): Promise<Reply> };
  /** Runs the target when it is an agent with tools; missing when it is a chat model. */
  readonly agent?: { run(task: AgentTask): Promise<AgentRun> };
  /** Asks the judge. */
  readonly judge: { generate(question: Question): Promise<Reply> };
  /** Runs a grader in a box of its own. */
  readonly command: (request: CommandRequest) => Promise<CommandRun>;
  /** Scores by the task's own answers or checks. */
  readonly score: (task: Task, performance: Performance) => Promise<AnswerScore | Invalid>;
  readonly extras: { readonly [key: string]: Json };
  readonly signal: AbortSignal;
}

/** How a skill is run on a task and scored. `name` and `version` are part of every key. */
export interface Environment {
  readonly name: string;
  /** Change it with the scorer, so that an edited scorer never meets stale results. */
  readonly version: string;
  /** Set when `run` touches the world only through its context: it is then run again, not journaled. */
  readonly throughContext?: boolean;
  setup?(): Promise<void>;
  teardown?(): Promise<void>;
  run(task: Task, skill: Skill, context: EnvironmentContext): Promise<Outcome>;
  /** Patches from the environment's own analysis, instead of our analysts. */
  reflect?(
    rolled: readonly { readonly task: Task; readonly outcome: Outcome }[],
    skill: Skill,
  ): Promise<readonly RawPatch[]>;
  /** Text for the analyst about a train task. */
  reference?(task: Task): string | undefined;
  /** Task types for stratified batches. */
  readonly types?: readonly string[];
}
