import type { RawConversation, SourceName } from "./conversation.ts";

/** The conversations of one agent on this machine. Read-only: no file is written, locked or touched. */
export interface TranscriptSource {
  readonly name: SourceName;
  /** The folder or database it reads, for messages. */
  readonly place: string;
  /**
   * The conversations of one project (the folder itself or one below it) that changed at or after an instant; empty if
   * the agent was never used here. For other projects it reads only the name of their folder.
   */
  list(wanted: { readonly project: string; readonly since: number }): Promise<readonly TranscriptRef[]>;
  /** The conversation, or why it's skipped in one sentence: made by a subagent, by ourselves, without a prompt, damaged. */
  read(ref: TranscriptRef): Promise<RawConversation | SkippedConversation>;
}

export interface SkippedConversation {
  readonly skipped: string;
  /** It has no prompt that we recognize: nobody typed one, or the agent's format has changed. */
  readonly isEmpty?: boolean;
  /** Version of the agent's program, if it says so. */
  readonly version?: string;
}

export interface TranscriptRef {
  /** `<source>:<the agent's own id>`. */
  readonly id: string;
  /** Milliseconds since the epoch of its last change. */
  readonly changedAt: number;
  /** The file or database that holds it. */
  readonly path: string;
}
