import type { Files } from "../files.ts";

/** A command to run on a copy of the workspace, in its own sandbox without network. */
export interface CommandRequest {
  readonly argv: readonly string[];
  /** The workspace as the agent left it. With `checkout`, only the files that differ from that commit. */
  readonly files: Files;
  /** The commit that the workspace started from. */
  readonly checkout?: string;
  /** Files of that commit that the agent deleted. */
  readonly deleted?: readonly string[];
  /** The grader's own files, read-only in the folder named by `$GRADER`. Agents never see them. */
  readonly grader?: Files;
  readonly seconds: number;
}

export interface CommandRun {
  readonly exitCode: number | null;
  /** At most 64 kB each. */
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: "exit" | "time" | "memory" | "processes" | "disk";
}

/** Throws `InfraError` if the sandbox couldn't be created. */
export type RunCommandInBox = (request: CommandRequest, signal: AbortSignal) => Promise<CommandRun>;
