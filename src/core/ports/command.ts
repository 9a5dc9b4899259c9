import type { Files } from "../files.ts";

/** A command on a copy of the workspace, in a box of its own without network. */
export interface CommandRequest {
  readonly argv: readonly string[];
  /** The workspace as the agent left it; with `checkout`, what of it differs from that commit. */
  readonly files: Files;
  /** The commit that the workspace began from. */
  readonly checkout?: string;
  /** Files of that commit that the agent deleted. */
  readonly deleted?: readonly string[];
  /** The grader's own files: read-only in the folder that `$GRADER` names, unknown to any agent. */
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

/** Throws `InfraError` when the box could not be made. */
export type RunCommandInBox = (request: CommandRequest, signal: AbortSignal) => Promise<CommandRun>;
