import type { Files } from "../files.ts";
import type { JsonObject } from "../json.ts";
import type { ToolCall } from "../ports/agent.ts";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { Message, Reply } from "../ports/model.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import type { ScoreAside } from "../ports/scoring.ts";

/** What the target did, as far as it can be scored. */
export interface Performance {
  readonly text: string;
  /** All that was said and done, in its order; a chat answer has none. */
  readonly conversation?: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  /** The workspace at the end; of a checkout only what differs from it. */
  readonly files: Files;
  /** Files of the checkout that are gone. */
  readonly deleted?: readonly string[];
  readonly skillsLoaded: readonly string[];
  /** The skills that an agent could load, where they are known. */
  readonly skillsInstalled?: readonly string[];
}

export interface ScoringTools {
  /** Asks the judge; journaled by the caller. */
  readonly judge?: (request: JudgeRequest) => Promise<Reply>;
  /** Runs a grader in a fresh sandbox; journaled by the caller. */
  readonly command?: (request: CommandRequest) => Promise<CommandRun>;
  /** Functions of `custom` checks by their written name. */
  readonly custom?: ReadonlyMap<string, CustomScorer>;
  /** Scores what may take long away from the event loop. @default all is scored at once */
  readonly aside?: ScoreAside;
}

export interface JudgeRequest {
  readonly system: string;
  readonly prompt: string;
  /** Whether a reply keeps to the contract; those that do not are counted. */
  readonly isParsable?: (reply: Reply) => boolean;
  /** It was asked before, and the reply could not be used: it is asked twice at most. @default false */
  readonly isRepair?: boolean;
  /** The form of the reply, for servers that hold a model to it. */
  readonly format?: JsonObject;
}

export type CustomScorer = (
  task: Task,
  performance: Performance,
) => number | boolean | { readonly score: number; readonly reason?: string } | Promise<unknown>;

export type AnswerScore = Pick<Scored, "hard" | "soft" | "feedback" | "checks">;
