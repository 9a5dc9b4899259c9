import type { Files } from "../../core/files.ts";
import type { AgentRun, InstalledSkill, ToolCall } from "../../core/ports/agent.ts";
import type { Message } from "../../core/ports/model.ts";
import type { Inside, SandboxCommand } from "../../core/ports/sandbox.ts";

/** What is particular to one agent CLI. Everything else is the driver's: `cliAgent` and `cliModel`. */
export interface AgentCli {
  /** As in `claude-code/claude-sonnet-4-5`. */
  readonly name: string;
  /** The program on PATH. */
  readonly program: string;
  /** The npm package that installs it. */
  readonly packageName: string;
  /** What a person types to log in again. */
  readonly login: string;
  /** Whose model it is, for the price: `anthropic` of `anthropic/claude-sonnet-4-5`. */
  provider(model: string): string;
  /** Where its model calls go, and who pays for them. Throws `InfraError` (refused) without any credentials. */
  connect(host: CliHost): Promise<Upstream>;
  /** Programs beside its own that it needs: host path → path inside. @default none */
  mounts?(host: CliHost): Readonly<Record<string, string>>;
  /** One headless run, as files of its home and a command line. */
  prepare(task: CliTask): PreparedCli;
  /** Reads the event stream of that run. */
  createReader(task: CliTask): EventReader;
}

/** The user's own wishes for one agent. */
export interface AgentSettings {
  /** Path of the program. @default the one on PATH */
  readonly command?: string;
  /** Where the model is served, up to and with `/v1`. @default the vendor's */
  readonly baseURL?: string;
  /** The variable that holds the key. @default the vendor's */
  readonly apiKeyEnv?: string;
  /** More variables for the agent. */
  readonly env?: Readonly<Record<string, string>>;
  /** More arguments for the agent. */
  readonly args?: readonly string[];
}

/** The machine around the sandbox. */
export interface CliHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's own home, where logins are. */
  readonly home: string;
  readonly settings: AgentSettings;
  readonly model: string;
  /** The program, on the host. */
  readonly program: string;
}

/** The proxy sends `/v1/<path>` from inside to `<baseURL>/<path>` with these headers; inside there is only a dummy. */
export interface Upstream {
  readonly baseURL: string;
  /** Whether an API key pays, or a subscription's login; `none`: the server asks for nothing. */
  readonly pays: "key" | "login" | "none";
  /** Fresh for each call: a login may have been refreshed. Throws `InfraError` (refused) when it cannot be. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** When the login ends, in milliseconds since the epoch, looked up without refreshing it; undefined when it does not tell. */
  expiresAt?(): Promise<number | undefined>;
}

/** The key that the sandbox sees. */
export const dummyKey = "sk-whetstone-dummy";

export interface CliTask {
  readonly model: string;
  readonly pays: Upstream["pays"];
  readonly prompt: string;
  /** Tools off: the CLI is used as a chat model. */
  readonly toolless: boolean;
  /** The system text; only with `toolless`. */
  readonly system?: string;
  /** Only with `toolless`. */
  readonly maxTokens?: number;
  readonly skills: readonly InstalledSkill[];
  readonly instructions?: string;
  readonly turns: number;
}

export interface PreparedCli {
  /** Files of the home, by path relative to it: configuration, skills, instructions. */
  readonly home: Files;
  /** Those of them that must be executable. */
  readonly executable: readonly string[];
  /** `program` is the path inside; the model is at `<inside.baseUrl>/v1`. The driver adds the user's `args` and `env`. */
  command(inside: Inside, program: string): SandboxCommand;
}

/** Never throws, whatever the line holds. */
export interface EventReader {
  line(text: string): void;
  /** What the lines so far say. Cheap: asked for after each of them. */
  read(): AgentReading;
}

export interface AgentReading {
  /** What the agent said last. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly conversation: readonly Message[];
  readonly offered: readonly string[];
  readonly loaded: readonly string[];
  /** Undefined until the stream tells an end, or an answer that was not whole. A run that stops without one is a failure. */
  readonly ended?: Extract<AgentRun["ended"], "done" | "length" | "turns" | "refused">;
  /** What it says went wrong for good; retries that are still under way are none. `ended` is then undefined. */
  readonly failure?: CliFailure;
}

/** Raw: the driver classifies it, together with what the proxy saw. */
export interface CliFailure {
  readonly message: string;
  readonly status?: number;
  /** It would be so again: a person must do something first. */
  readonly isLasting?: boolean;
}
