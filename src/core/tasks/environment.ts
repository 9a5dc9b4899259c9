import type { Json } from "../json.ts";
import type { RawPatch } from "../skill/edit.ts";
import type { Message, Reply } from "../ports/model.ts";
import type { Skill } from "../skill/skill.ts";
import type { Outcome } from "./outcome.ts";
import type { SplitName, Task } from "./task.ts";

/** What a custom environment may use. */
export interface EnvironmentContext {
  readonly split: SplitName;
  readonly seed: number;
  readonly trial: number;
  /** Asks the target; each answer is journaled, so a crash never buys it twice. */
  readonly model: {
    generate(request: { readonly system?: string; readonly messages: readonly Message[] }): Promise<Reply>;
  };
  readonly extras: { readonly [key: string]: Json };
  readonly signal: AbortSignal;
}

/** How a skill is run on a task and scored. `name` and `version` are part of every key. */
export interface Environment {
  readonly name: string;
  /** Change it with the scorer, so that an edited scorer never meets stale results. */
  readonly version: string;
  /** Set when `run` touches the world only through `context.model`: it is then run again, not journaled. */
  readonly modelOnly?: boolean;
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
