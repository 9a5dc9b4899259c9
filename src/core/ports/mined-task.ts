import type { ConversationTurn } from "./conversation.ts";
import type { EarlierTurn, Task } from "../tasks/task.ts";

/** A task found in conversations. In a file it's a task row, with everything else under `metadata.sleep`. */
export interface MinedTask {
  /** `group` is the first conversation it was seen in. Conversations that share a task stay in one split. */
  readonly task: Task;
  /** A correction: the person objected to something the agent did. */
  readonly kind: "task" | "correction";
  /** Sorted ids of the conversations it was seen in, which show how often it recurs. */
  readonly seen: readonly string[];
  readonly outcome: "solved" | "failed" | "unknown";
  /** Short quotes of the person that call for it. */
  readonly evidence: readonly string[];
  /** The skill that was used, if it was exactly one. */
  readonly skill?: string;
  /** Whether rules learned from it belong to this project or to the person. */
  readonly scope: "project" | "personal";
  /** A rule in the person's own words. */
  readonly stated?: string;
  /** The person's words on how to do it, once for each conversation. @default nothing */
  readonly said?: readonly SaidSentence[];
  /** The same request in other words, for training only. */
  readonly paraphrases: readonly string[];
  /** The workspace, if the work touched files at a known commit. */
  readonly workspace?: MinedWorkspace;
  /** The conversation up to the correction. An agent in its workspace continues it instead of doing the task. */
  readonly talk?: RecordedTalk;
  /** The miner gave no usable check, so only the question about its talk judges it. @default false */
  readonly isTalkAlone?: boolean;
}

/** A redacted conversation up to a correction, and how it went on. */
export interface RecordedTalk extends Pick<MinedWorkspace, "commit"> {
  /** The turns before the request that the agent got wrong, oldest first. */
  readonly before: readonly EarlierTurn[];
  /** That request. */
  readonly input: string;
  readonly correction: string;
  /** The endings after the request, and then after the correction. */
  readonly recorded: Ending;
  readonly corrected: Ending;
}

export interface MinedWorkspace {
  readonly commit: string;
  /** Paths that the conversation wrote. */
  readonly files: readonly string[];
}

/** The agent's answer, and what it did before that. */
export type Ending = Pick<ConversationTurn, "answer" | "did">;

/** A sentence that states a rule or objects to something the agent did. */
export interface SaidSentence {
  /** The person's own words, redacted. */
  readonly text: string;
  /** Id of the conversation. */
  readonly conversation: string;
  /** `correction`: against what the agent had done. */
  readonly kind: "statement" | "correction";
  /** Whether it states a rule explicitly. */
  readonly isRule: boolean;
  /** `once`: for that occasion only. `always`: from then on. @default the conversation doesn't say */
  readonly lasts?: "once" | "always";
  /** The rule that it alludes to, in the miner's words. */
  readonly about?: string;
  /** Why the person wants it, in their words. */
  readonly reason?: string;
  /** A short version of what came before it. */
  readonly scene?: SaidScene;
}

export interface SaidScene {
  /** The person's request. */
  readonly asked: string;
  /** The agent's own account of its work on the request. */
  readonly did: string;
}
