import type { z } from "zod";
import type { Config } from "../../config/schema.ts";
import type { ProjectOptions } from "../../run/project-options.ts";
import { type CommandKind, lookOnly } from "../../adapters/look-only.ts";
import type { Confirmation } from "./confirm.ts";

/** What a tool may do with the project and the person behind one call. */
export interface McpCall {
  readonly cwd: string;
  /** Aborted when the client takes the call back or leaves. */
  readonly signal: AbortSignal;
  /** Where the journal is; nothing of the project runs for it. */
  project(): Promise<ProjectOptions & { readonly journal: string }>;
  /** The config as a person allowed it, for as long as the body takes. */
  withConfig<T>(given: Config, body: (config: Config) => Promise<T>): Promise<T>;
  /** One training at a time. */
  training<T>(body: () => Promise<T>): Promise<T>;
  /** Whether a training goes on in this server. */
  readonly isTraining: boolean;
  /** Says how far it is. */
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
  /** As of commands: a tool that looks gets no power to write, start programs or connect. */
  readonly kind: CommandKind;
  /** With arguments that the schema has let through. */
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

/** Keeps the types of one tool together, and gives it as one of many. */
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
