import { z } from "zod";
import { WhetstoneError } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import { oneLine } from "../one-line.ts";
import type { AgentRequest, AgentRun } from "../ports/agent.ts";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { ModelRequest, Reply, Usage } from "../ports/model.ts";
import type { Skill } from "../skill/skill.ts";
import type { Outcome } from "../tasks/outcome.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import type { Draw, Unit } from "./unit.ts";

/** A kind of unit. Its input and output are checked when they're read from a journal or a queue. */
export interface UnitKind<Input, Output> {
  readonly kind: string;
  readonly version: number;
  unit(input: Input, draw: Draw): Unit;
  readonly readInput: (value: Json) => Input;
  readonly readOutput: (value: Json) => Output;
  /**
   * Checks a port's return value before it's recorded, and converts it as the journal will store it. If no tokens were
   * counted, it books `most`, so that caps still work. Throws `reply-invalid`, with `who` as the one to blame.
   */
  readonly takeOutput: (value: unknown, who: string, most?: Usage) => Output;
}

export interface EnvironmentInput {
  readonly task: Task;
  readonly skill: Skill;
  readonly split: SplitName;
  readonly draw: Draw;
}

const list = z.array(z.unknown());
const someObject = z.looseObject({});
const text = z.string("must be a string");
const count = z.number("must be a number of 0 or more").min(0, "must be a number of 0 or more");
const usage = z.looseObject(
  {
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count.optional(),
    cacheWriteInputTokens: count.optional(),
  },
  "must be { inputTokens, outputTokens }",
);

const reply = z.looseObject({ text, finish: text, usage }, "must be { text, finish, usage }");
const finish = z.enum(
  ["stop", "length", "content-filter", "other", "none"],
  'must be "stop", "length", "content-filter", "other" or "none"',
);
const run = z.looseObject({ text, ended: text, toolCalls: list, changed: someObject, usage });
const outcome = z.looseObject({ kind: z.literal("scored"), hard: z.number(), soft: z.number() });
const said = z.array(z.looseObject({ role: text, content: text }), "must be a list of messages");

export const generateKind = unitKind<ModelRequest, Reply>(
  "generate",
  z.looseObject({ model: z.string(), messages: list, maxTokens: z.number() }),
  reply,
  reply.extend({ finish, model: text.optional(), host: text.optional() }),
);

export const agentKind = unitKind<AgentRequest, AgentRun>(
  "agent",
  z.looseObject({
    agent: z.string(),
    prompt: z.string(),
    files: someObject,
    skills: list,
    limits: someObject,
  }),
  run,
  run.extend({
    toolCalls: z.array(z.looseObject({ name: text, output: text }), "must be a list of calls"),
    changed: z.record(text, text.nullable(), "must be contents by path"),
    skills: z.looseObject({ offered: z.array(text), loaded: z.array(text) }, "must be { offered, loaded }"),
    conversation: said,
    calls: count,
    host: text.optional(),
  }),
);

export const commandKind = unitKind<CommandRequest, CommandRun>(
  "command",
  z.looseObject({ argv: z.array(z.string()), files: someObject, seconds: z.number() }),
  z.looseObject({ exitCode: z.number().nullable(), stdout: z.string(), stderr: z.string() }),
);

export const environmentKind = unitKind<EnvironmentInput, Outcome>(
  "environment",
  z.looseObject({ task: someObject, skill: someObject, split: z.string(), draw: someObject }),
  outcome,
  outcome.extend({ feedback: text, conversation: said }),
);

function unitKind<Input, Output>(
  kind: string,
  input: z.ZodType,
  output: z.ZodType,
  /** The output that a port must give now. Journals also contain outputs of earlier versions, which required less. */
  taken = output,
): UnitKind<Input, Output> {
  const check = (schema: z.ZodType, value: Json): unknown => {
    const { error } = schema.safeParse(value);
    // the value itself, not the schema's copy, because artifacts are written from its exact bytes
    if (error === undefined) return value;
    const [issue] = error.issues;
    throw new WhetstoneError(
      "journal-damaged",
      `A unit of kind ${kind} has a wrong shape: ${issue?.path.join(".")} ${issue?.message}.`,
      { hint: "`whetstone journal check` shows what's wrong. On a fleet, use one version everywhere." },
    );
  };
  return {
    kind,
    version: 1,
    unit: (given, draw) => ({ kind, version: 1, input: given as Json, draw }),
    readInput: (value) => check(input, value) as Input,
    readOutput: (value) => check(output, withUsage(value)) as Output,
    takeOutput(given, who, most) {
      const isObject = typeof given === "object" && given !== null;
      const isUncounted = isObject && ((given as Partial<Reply>).usage ?? undefined) === undefined;
      const value = isUncounted && most ? { ...given, usage: { ...most, estimated: true } } : given;
      let kept: unknown;
      let fault: string | undefined;
      try {
        kept = JSON.parse(JSON.stringify(value) ?? "null");
      } catch (error) {
        fault = `what can't be written as JSON: ${oneLine((error as Error).message, 100)}`;
      }
      const [seen, lost] = [value, kept].map((some) => taken.safeParse(some).error?.issues[0]);
      if (seen !== undefined) fault ??= faultOf(seen, value);
      if (lost !== undefined) fault ??= `"${lost.path.join(".")}" in a form that JSON leaves out`;
      if (fault === undefined) return kept as Output;
      throw new WhetstoneError("reply-invalid", `${who} returned ${fault}.`, {
        hint: "Correct what it returns, then run the same command again: this reply wasn't recorded.",
      });
    },
  };
}

function faultOf({ path, message }: z.core.$ZodIssue, value: unknown): string {
  const found = path.reduce<unknown>((at, name) => Object(at)[name], value);
  const what = path.length === 0 ? "" : `"${path.join(".")}" as `;
  return `${what}${typeof found === "number" ? found : JSON.stringify(found)}; it ${message}`;
}

/** Early versions recorded replies with missing or wrong token counts. They count as zero. */
function withUsage(output: Json): Json {
  const reply = output as { readonly usage?: Json } | null;
  if (reply?.usage === undefined || usage.safeParse(reply.usage).success) return output;
  return { ...(output as JsonObject), usage: { inputTokens: 0, outputTokens: 0 } };
}
