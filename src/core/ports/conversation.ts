import { type AgentsWith, agentsWith } from "../coding-agents.ts";
import type { Act } from "../reminders/reminder.ts";
import type { SentenceSpan } from "../sentences.ts";

export type SourceName = AgentsWith<"transcripts">;

/** The agents whose conversations can be read. */
export const sourceNames = agentsWith("transcripts");

/** One conversation of a person with an agent, the same for every source. Redacted before anything else sees it. */
export interface Digest {
  readonly v: 1;
  /** `<source>:<hash of the agent's own id>`; of a raw conversation, the agent's own id. */
  readonly id: string;
  readonly source: SourceName;
  /** The folder in which the agent worked, absolute. */
  readonly project: string;
  readonly branch?: string;
  readonly commit?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** What the person typed, each with the agent's last words on it. */
  readonly turns: readonly ConversationTurn[];
  /** Names, once each, in the order of their first use. */
  readonly tools: readonly string[];
  /** Names of the skills that were used, as the agent knows them. */
  readonly skills: readonly string[];
  /** Paths of files that were written, relative to the project where they are inside it. */
  readonly files: readonly string[];
  /** Fingerprints of what the person did not write: outputs, pages, pastes (`fingerprint` of guard/shared-text.ts). */
  readonly untrusted: readonly string[];
}

export interface ConversationTurn {
  readonly prompt: string;
  /** Stretches of the prompt that the person did not write, such as pastes; in order, apart from each other. @default none */
  readonly material?: readonly SentenceSpan[];
  /** Empty when it was interrupted before any. */
  readonly answer: string;
  /** Commands that the agent ran before it answered, and files that it wrote: `ran npm test`, `wrote src/a.ts`. @default none */
  readonly did?: readonly string[];
}

/** What a source reads, before redaction: it stays in memory. */
export interface RawConversation extends Omit<Digest, "v" | "untrusted"> {
  /** Of the agent's program that wrote it down, where it says so. */
  readonly version?: string;
  /** Outputs of tools, of commands that the person ran, fetched pages, attached files and the like. */
  readonly toolOutputs: readonly string[];
  /** How many of the outputs came before each turn. @default all of them */
  readonly heard?: readonly number[];
  /** What the agent's program noted as pasted. @default none */
  readonly pastes?: readonly string[];
  /** The tool calls in their order, each with the number of prompts before it. @default none */
  readonly calls?: readonly RecordedCall[];
}

export interface RecordedCall {
  readonly prompts: number;
  readonly acts: readonly Act[];
}
