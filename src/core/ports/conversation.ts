import { type AgentsWith, agentsWith } from "../coding-agents.ts";
import type { Act } from "../reminders/reminder.ts";
import type { SentenceSpan } from "../sentences.ts";

export type SourceName = AgentsWith<"transcripts">;

/** The agents whose conversations can be read. */
export const sourceNames = agentsWith("transcripts");

/** One conversation between a person and an agent, in one format for all sources. It's redacted before anything else sees it. */
export interface Digest {
  readonly v: 1;
  /** `<source>:<hash of the agent's own id>`; for a raw conversation, the agent's own id. */
  readonly id: string;
  readonly source: SourceName;
  /** The absolute path of the folder in which the agent worked. */
  readonly project: string;
  readonly branch?: string;
  readonly commit?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The person's prompts, each with the agent's final answer. */
  readonly turns: readonly ConversationTurn[];
  /** Names of the tools, once each, in the order of their first use. */
  readonly tools: readonly string[];
  /** Names of the skills that were used, as the agent calls them. */
  readonly skills: readonly string[];
  /** Paths of files that were written, relative to the project if they're inside it. */
  readonly files: readonly string[];
  /** Fingerprints of text the person didn't write: outputs, pages, pastes (`fingerprint` in guard/shared-text.ts). */
  readonly untrusted: readonly string[];
}

export interface ConversationTurn {
  readonly prompt: string;
  /** Parts of the prompt that the person didn't write, such as pastes, in order and without overlaps. @default none */
  readonly material?: readonly SentenceSpan[];
  /** Empty if the agent was interrupted before it answered. */
  readonly answer: string;
  /** Commands the agent ran before it answered, and files it wrote: `ran npm test`, `wrote src/a.ts`. @default none */
  readonly did?: readonly string[];
}

/** A conversation as its source reads it, before redaction. It stays in memory. */
export interface RawConversation extends Omit<Digest, "v" | "untrusted"> {
  /** Version of the agent's program that recorded it, if it says so. */
  readonly version?: string;
  /** Outputs of tools and of the person's commands, fetched pages, attached files and similar text. */
  readonly toolOutputs: readonly string[];
  /** How many of the outputs came before each turn. @default all of them */
  readonly heard?: readonly number[];
  /** Text that the agent's program recorded as pasted. @default none */
  readonly pastes?: readonly string[];
  /** The tool calls in order, each with the number of prompts before it. @default none */
  readonly calls?: readonly RecordedCall[];
}

export interface RecordedCall {
  readonly prompts: number;
  readonly acts: readonly Act[];
}
