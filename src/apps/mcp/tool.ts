import type { z } from "zod";
import type { Config } from "../../config/schema.ts";
import type { ProjectOptions } from "../../run/project-options.ts";
import { type CommandKind, lookOnly } from "../../adapters/look-only.ts";
import type { Confirmation } from "./confirm.ts";

/** One call's access to the project and the person. */
export interface McpCall {
  readonly cwd: string;
  /** Aborted when the client cancels the call or leaves. */
  readonly signal: AbortSignal;
  /** The project and its journal, without running any of the project's code. */
  project(): Promise<ProjectOptions & { readonly journal: string }>;
  /** The config as a person allowed it, while the body runs. */
  withConfig<T>(given: Config, body: (config: Config) => Promise<T>): Promise<T>;
  /** Runs one training or night at a time. */
  training<T>(body: () => Promise<T>): Promise<T>;
  /** Whether a training or a night is running in this server. */
  readonly isTraining: boolean;
  /** Reports progress. */
  tell(message: string): void;
  /** Whether the client can ask its person. */
  readonly canAsk: boolean;
  /** Asks the person, not the model; throws `not-confirmed` unless they say yes. */
  confirm(question: Confirmation): Promise<void>;
}

export interface ToolResult<Data> {
  readonly text: string;
  readonly data: Data;
}

/** One tool: arguments in, one library call, text and data out. */
export interface Tool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly annotations: Annotations;
  /** As for commands: a tool that looks can't write, start programs or connect. */
  readonly kind: CommandKind;
  /** Gets arguments that passed the schema. */
  call(given: unknown, call: McpCall): Promise<ToolResult<Readonly<Record<string, unknown>>>>;
}

interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Whether it reaches hosts beyond this machine. */
  readonly openWorldHint: boolean;
}

export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Checks the types of one tool together, then widens it to `Tool`. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(tool: {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: Annotations;
  readonly kind: CommandKind;
  readonly call: (given: z.output<Input>, call: McpCall) => Promise<ToolResult<z.output<Output>>>;
}): Tool {
  const perform: Tool["call"] = (given, call) => tool.call(given as z.output<Input>, call);
  return { ...tool, call: tool.kind === "looks" ? (...args) => lookOnly(() => perform(...args)) : perform };
}
