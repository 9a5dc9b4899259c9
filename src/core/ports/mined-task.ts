import type { ConversationTurn } from "./conversation.ts";
import type { EarlierTurn, Task } from "../tasks/task.ts";

/** A task that was found in conversations. In a file it is a task row with all the rest under `metadata.sleep`. */
export interface MinedTask {
  /** `group` is the first conversation that it was seen in; conversations that share a task stay in one split. */
  readonly task: Task;
  /** A correction is what a person said against what the agent did. */
  readonly kind: "task" | "correction";
  /** Ids of the conversations it was seen in, sorted: its recurrence. */
  readonly seen: readonly string[];
  readonly outcome: "solved" | "failed" | "unknown";
  /** Places in the conversations that call for it, in the person's words, short. */
  readonly evidence: readonly string[];
  /** The skill that was used, when it was exactly one. */
  readonly skill?: string;
  /** Whether what is learned from it belongs to this project or to the person. */
  readonly scope: "project" | "personal";
  /** A rule in the person's own words. */
  readonly stated?: string;
  /** What the person said of how it is to be done, once for each conversation. @default nothing */
  readonly said?: readonly SaidSentence[];
  /** The same request in other words; for practice only. */
  readonly paraphrases: readonly string[];
  /** Where the work was done, when it touched files at a known commit. */
  readonly workspace?: MinedWorkspace;
  /** The conversation up to the correction: an agent in its workspace goes on with it instead of the task. */
  readonly talk?: RecordedTalk;
  /** The miner gave no check that can be used: only the question of its talk judges it. @default false */
  readonly isTalkAlone?: boolean;
}

/** A conversation up to a correction, redacted, and how it went on. */
export interface RecordedTalk extends Pick<MinedWorkspace, "commit"> {
  /** Before the request that the agent got wrong, oldest first. */
  readonly before: readonly EarlierTurn[];
  /** That request. */
  readonly input: string;
  readonly correction: string;
  /** The endings that came of the request, and then of the correction. */
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

/** A sentence that lays down a rule or speaks against what the agent did. */
export interface SaidSentence {
  /** The person's own words, redacted. */
  readonly text: string;
  /** Id of the conversation. */
  readonly conversation: string;
  /** `correction`: against what the agent had done. */
  readonly kind: "statement" | "correction";
  /** Whether it lays down a rule in so many words. */
  readonly isRule: boolean;
  /** `once`: for that occasion alone. `always`: from then on. @default the conversation does not say */
  readonly lasts?: "once" | "always";
  /** The rule that it alludes to, as the miner puts it. */
  readonly about?: string;
  /** Why the person wants it, in their words. */
  readonly reason?: string;
  /** What went before it, short. */
  readonly scene?: SaidScene;
}

export interface SaidScene {
  /** What the person had asked for. */
  readonly asked: string;
  /** What the agent did then, in its own words. */
  readonly did: string;
}
