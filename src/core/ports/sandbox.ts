/** A sandbox for one process tree. It sees one workspace and nothing else of the machine, and leaves nothing running. */
export interface Sandbox {
  readonly name: "bubblewrap" | "seatbelt" | "container" | "none";
  /**
   * Runs one command to its end. Never throws because of the command itself; throws `InfraError` if the sandbox
   * couldn't be created. Whatever ends it (exit, a limit, the signal, our own crash), none of its processes is left.
   */
  run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult>;
  /** The limits that the kernel enforces here, so nothing in the sandbox can bypass them. We monitor the others. @default none */
  heldByKernel?(): Promise<readonly KernelLimit[]>;
}

export type KernelLimit = "memory" | "processes" | "disk";

export interface SandboxJob {
  /** Host folder, mounted writable. It's the working folder inside. */
  readonly workspace: string;
  /** Host folder that becomes the home, writable. @default an empty folder that is deleted afterwards */
  readonly home?: string;
  /** The folder of a file system with only workspace and home in it, so its usage is theirs. */
  readonly volume?: string;
  /** Host files and folders that may be read: path on the host → path inside. */
  readonly readOnly?: Readonly<Record<string, string>>;
  /** Host folders to mount read-only in the workspace: path on the host → relative path of an empty folder in it. */
  readonly within?: Readonly<Record<string, string>>;
  /** A unix socket on the host. Inside, `baseUrl` leads to it and nothing else is reachable. @default no network */
  readonly socket?: string;
  /** The command to run, with paths as seen inside. It gets only these environment variables, and a PATH. */
  readonly command: (inside: Inside) => SandboxCommand;
  readonly limits: SandboxLimits;
  /** Called with each complete line of standard output as it comes. */
  readonly onLine?: (line: string) => void;
}

/** Paths and addresses as seen from inside. */
export interface Inside {
  readonly workspace: string;
  readonly home: string;
  /** Looks up the path inside for a `readOnly` entry's path on the host. */
  readonly path: (key: string) => string;
  /** `http://127.0.0.1:<port>` with a `socket`, else empty. */
  readonly baseUrl: string;
}

export interface SandboxCommand {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Text, or pieces of it as they come. It's closed when they end. @default closed */
  readonly stdin?: string | AsyncIterable<string>;
}

export interface SandboxLimits {
  /** Wall time. */
  readonly seconds: number;
  readonly memoryMb: number;
  readonly processes: number;
  /** The most that workspace and home may take up. */
  readonly diskMb: number;
}

export interface SandboxResult {
  readonly exitCode: number | null;
  /** At most the last 4 MB. */
  readonly stdout: string;
  readonly stderr: string;
  /** How it ended: by itself, at a limit, or by the signal. */
  readonly ended: "exit" | "time" | "memory" | "processes" | "disk" | "stopped";
  readonly ms: number;
}
