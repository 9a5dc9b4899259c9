/** A box for one process tree: one workspace, nothing else of the machine, and an end that takes everything with it. */
export interface Sandbox {
  readonly name: "bubblewrap" | "seatbelt" | "container" | "none";
  /**
   * Runs one command to its end. Never throws for what the command did; throws `InfraError` when the box itself
   * could not be made. Whatever ends it (exit, a limit, the signal, our own death), no process of it is left.
   */
  run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult>;
  /** The limits that the kernel holds here, as nothing in the box can get round them. The others are watched. @default none */
  heldByKernel?(): Promise<readonly KernelLimit[]>;
}

export type KernelLimit = "memory" | "processes" | "disk";

export interface SandboxJob {
  /** Host folder, mounted writable; the working folder inside. */
  readonly workspace: string;
  /** Host folder that becomes the home, writable. @default an empty one that is gone afterwards */
  readonly home?: string;
  /** The folder of a file system that holds workspace and home alone: what it has taken is what they take. */
  readonly volume?: string;
  /** Host files and folders that may be read: path on the host → path inside. */
  readonly readOnly?: Readonly<Record<string, string>>;
  /** Host folders that may be read below the workspace: path on the host → path relative to it, of an empty folder. */
  readonly within?: Readonly<Record<string, string>>;
  /** A unix socket on the host; inside, `baseUrl` leads to it and nothing else is reachable. @default no network */
  readonly socket?: string;
  /** What to run, written for the place where it runs. Environment variables are these alone, and a PATH. */
  readonly command: (inside: Inside) => SandboxCommand;
  readonly limits: SandboxLimits;
  /** Each complete line of standard output, as it comes. */
  readonly onLine?: (line: string) => void;
}

/** Where things are, seen from inside. */
export interface Inside {
  readonly workspace: string;
  readonly home: string;
  /** The path inside of a `readOnly` entry, named by its path on the host. */
  readonly path: (key: string) => string;
  /** `http://127.0.0.1:<port>` with a `socket`, else empty. */
  readonly baseUrl: string;
}

export interface SandboxCommand {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Text, or pieces of it as they come: it is closed when they end. @default closed */
  readonly stdin?: string | AsyncIterable<string>;
}

export interface SandboxLimits {
  /** Wall time. */
  readonly seconds: number;
  readonly memoryMb: number;
  readonly processes: number;
  /** What workspace and home may grow to. */
  readonly diskMb: number;
}

export interface SandboxResult {
  readonly exitCode: number | null;
  /** At most the last 4 MB. */
  readonly stdout: string;
  readonly stderr: string;
  /** What ended it: itself, a limit, or the signal. */
  readonly ended: "exit" | "time" | "memory" | "processes" | "disk" | "stopped";
  readonly ms: number;
}
