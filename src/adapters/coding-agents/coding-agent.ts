import { isAbsolute, join } from "node:path";
import type { AgentsWith, CodingAgentName } from "../../core/coding-agents.ts";
import type { TranscriptSource } from "../../core/ports/transcripts.ts";
import type { HeadlessCli } from "../agents/agent-cli.ts";
import type { MemoryFile } from "../read-own-memory.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";

/** All that is known of one coding agent. `undefined` is written out, so that nothing is forgotten. */
export interface CodingAgent<Name extends CodingAgentName = CodingAgentName> {
  readonly name: Name;
  /** As people call it. */
  readonly label: string;
  readonly program: Name extends AgentsWith<"cli" | "plugin"> ? NpmProgram : AgentProgram | undefined;
  /** The standing instructions that it reads at a project's root. */
  readonly reads: AgentReads;
  /** The person's own instructions, from their home; undefined: it keeps them in no file. */
  readonly memory: string | undefined;
  /** Its own memory, as far as it is of a project; undefined: it keeps none in files. It is never written. */
  readonly ownMemory: OpenOwnMemory | undefined;
  /** Files with what it logs in with, from the person's home. Their values become placeholders. */
  readonly secrets: readonly string[];
  /** Folders of skills. */
  readonly skills: {
    /** In a project, and in the person's home likewise. */
    readonly project: readonly string[];
    /** More of them in the home alone. */
    readonly home: readonly string[];
  };
  readonly cli: Name extends AgentsWith<"cli"> ? HeadlessCli : undefined;
  /** Its conversations, at a place that the person named or at the usual one. */
  readonly transcripts: Name extends AgentsWith<"transcripts"> ? OpenTranscripts : undefined;
  readonly plugin: Name extends AgentsWith<"plugin"> ? PluginHost : undefined;
}

interface AgentProgram {
  /** As on PATH. */
  readonly name: string;
  /** The npm package that installs it; undefined: it has an installer of its own. */
  readonly packageName: string | undefined;
  /** What it sets for the commands that it starts. */
  readonly variables: readonly string[];
}

interface NpmProgram extends AgentProgram {
  readonly packageName: string;
}

export interface AgentReads {
  /** What it looks for; the first is made where there is none. */
  readonly files: readonly string[];
  /** It takes the first that is there, and no other. @default it takes all of them */
  readonly firstOnly?: boolean;
  /** It reads what a line such as `@AGENTS.md` names. */
  readonly followsImports?: boolean;
}

/** `project` is absolute. `place`: the agent's folder, where the person named another one. */
type OpenOwnMemory = (host: AgentHost, project: string, place: string | undefined) => readonly MemoryFile[];

type OpenTranscripts = (host: AgentHost, place: string | undefined) => TranscriptSource;

/** Where an agent keeps its files: in the person's home, or where variables say. */
export interface AgentHost {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A folder of the agent: where a variable says, or in the person's home. A variable may be set to nothing. */
export const agentFolder = ({ env, home }: AgentHost, variable: string, usual: string): string => {
  const named = env[variable];
  return named !== undefined && isAbsolute(named) ? named : join(home, usual);
};
