import type { Files } from "../files.ts";
import type { JsonObject } from "../json.ts";
import type { ToolCall } from "../ports/agent.ts";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { Message, Reply } from "../ports/model.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import type { ScoreAside } from "../ports/scoring.ts";

/** Everything the target did that can be scored. */
export interface Performance {
  readonly text: string;
  /** Everything said and done, in order; a chat answer doesn't have this. */
  readonly conversation?: readonly Message[];
  readonly toolCalls: readonly ToolCall[];
  /** The workspace at the end; with a checkout only the differences from it. */
  readonly files: Files;
  /** Deleted files of the checkout. */
  readonly deleted?: readonly string[];
  readonly skillsLoaded: readonly string[];
  /** The skills that an agent could load, if known. */
  readonly skillsInstalled?: readonly string[];
}

export interface ScoringTools {
  /** Asks the judge; journaled by the caller. */
  readonly judge?: (request: JudgeRequest) => Promise<Reply>;
  /** Runs a grader in a fresh sandbox; journaled by the caller. */
  readonly command?: (request: CommandRequest) => Promise<CommandRun>;
  /** Functions of `custom` checks by their written name. */
  readonly custom?: ReadonlyMap<string, CustomScorer>;
  /** Scores slow checks away from the event loop. @default everything is scored at once */
  readonly aside?: ScoreAside;
}

export interface JudgeRequest {
  readonly system: string;
  readonly prompt: string;
  /** Whether a reply keeps to the contract; replies that don't are counted. */
  readonly isParsable?: (reply: Reply) => boolean;
  /** Whether the judge was asked before and its reply wasn't usable. It is asked twice at most. @default false */
  readonly isRepair?: boolean;
  /** The format of the reply, for servers that can enforce it. */
  readonly format?: JsonObject;
}

export type CustomScorer = (
  task: Task,
  performance: Performance,
) => number | boolean | { readonly score: number; readonly reason?: string } | Promise<unknown>;

export type AnswerScore = Pick<Scored, "hard" | "soft" | "feedback" | "checks">;
