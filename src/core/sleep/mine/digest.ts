/** The agents whose conversations can be read. */
export const sourceNames = [
  "claude-code",
  "codex",
  "opencode",
  "cursor",
  "vscode-copilot",
  "copilot-cli",
  "pi",
  "gemini-cli",
  "atif",
] as const;

export type SourceName = (typeof sourceNames)[number];

/** One conversation of a person with an agent, the same for every source. Redacted before anything else sees it. */
export interface Digest {
  readonly v: 1;
  /** `<source>:<the agent's own id>`. */
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
  /** Fingerprints of what came from tools and from the web (`fingerprint` of guard/shared-text.ts): its words are not kept. */
  readonly untrusted: readonly string[];
}

export interface ConversationTurn {
  readonly prompt: string;
  /** Empty when it was interrupted before any. */
  readonly answer: string;
}

/** What a source reads, before redaction: it stays in memory. */
export interface RawConversation extends Omit<Digest, "v" | "untrusted"> {
  /** Outputs of tools, fetched pages and the like. */
  readonly toolOutputs: readonly string[];
}
