import type { RawConversation, SourceName } from "./conversation.ts";

/** The conversations of one agent on this machine. Read-only: no file is written, locked or touched. */
export interface TranscriptSource {
  readonly name: SourceName;
  /** Where it looks, for messages. */
  readonly place: string;
  /**
   * The conversations of one project (the folder itself or one below it) that changed at or after an instant; empty when
   * the agent was never used here. Of other projects nothing but what names their folder is read.
   */
  list(wanted: { readonly project: string; readonly since: number }): Promise<readonly TranscriptRef[]>;
  /** The conversation, or in one sentence why it is none: made by a subagent, by ourselves, without a prompt, damaged. */
  read(ref: TranscriptRef): Promise<RawConversation | SkippedConversation>;
}

export interface SkippedConversation {
  readonly skipped: string;
  /** Nothing in it was taken for a prompt: nobody typed one, or the agent writes differently by now. */
  readonly isEmpty?: boolean;
  /** Of the agent's program, where it says so. */
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
