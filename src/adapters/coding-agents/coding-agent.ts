import { isAbsolute, join } from "node:path";
import type { AgentsWith, CodingAgentName } from "../../core/coding-agents.ts";
import type { TranscriptSource } from "../../core/ports/transcripts.ts";
import type { HeadlessCli } from "../agents/agent-cli.ts";
import type { MemoryFile } from "../read-own-memory.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";

/** Everything we know about one coding agent. `undefined` is explicit, so that nothing is forgotten. */
export interface CodingAgent<Name extends CodingAgentName = CodingAgentName> {
  readonly name: Name;
  /** The name people use. */
  readonly label: string;
  readonly program: Name extends AgentsWith<"cli" | "plugin"> ? NpmProgram : AgentProgram | undefined;
  /** The standing instructions it reads in a project's root. */
  readonly reads: AgentReads;
  /** The user's own instructions, in their home; undefined: it doesn't keep them in a file. */
  readonly memory: string | undefined;
  /** The part of its own memory that belongs to a project; undefined: it keeps none in files. We never write it. */
  readonly ownMemory: OpenOwnMemory | undefined;
  /** Credential files in the user's home. Their values become placeholders. */
  readonly secrets: readonly string[];
  /** Folders of skills. */
  readonly skills: {
    /** In a project, and in the user's home too. */
    readonly project: readonly string[];
    /** More of them, only in the home. */
    readonly home: readonly string[];
  };
  readonly cli: Name extends AgentsWith<"cli"> ? HeadlessCli : undefined;
  /** Its conversations, at the location the user gave or the usual one. */
  readonly transcripts: Name extends AgentsWith<"transcripts"> ? OpenTranscripts : undefined;
  readonly plugin: Name extends AgentsWith<"plugin"> ? PluginHost : undefined;
}

interface AgentProgram {
  /** The name on PATH. */
  readonly name: string;
  /** The npm package that installs it; undefined: it has its own installer. */
  readonly packageName: string | undefined;
  /** Variables it sets for the commands it starts. */
  readonly variables: readonly string[];
}

interface NpmProgram extends AgentProgram {
  readonly packageName: string;
}

export interface AgentReads {
  /** The files it looks for; if none exists, we create the first. */
  readonly files: readonly string[];
  /** It reads the first that exists, and no other. @default it reads all of them */
  readonly firstOnly?: boolean;
  /** It includes files named by a line such as `@AGENTS.md`. */
  readonly followsImports?: boolean;
}

/** `project` is absolute. `place`: the agent's folder, if the user gave another one. */
type OpenOwnMemory = (host: AgentHost, project: string, place: string | undefined) => readonly MemoryFile[];

type OpenTranscripts = (host: AgentHost, place: string | undefined) => TranscriptSource;

/** The place for an agent's files: in the user's home, or where variables say. */
export interface AgentHost {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** An agent's folder: from a variable, or in the user's home. A variable may be set but empty. */
export const agentFolder = ({ env, home }: AgentHost, variable: string, usual: string): string => {
  const named = env[variable];
  return named !== undefined && isAbsolute(named) ? named : join(home, usual);
};
