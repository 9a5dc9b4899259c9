import { z } from "zod";
import { WhetstoneError } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import type { AgentRequest, AgentRun } from "../ports/agent.ts";
import type { CommandRequest, CommandRun } from "../ports/command.ts";
import type { ModelRequest, Reply } from "../ports/model.ts";
import type { Skill } from "../skill/skill.ts";
import type { Outcome } from "../tasks/outcome.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import type { Draw, Unit } from "./unit.ts";

/** A kind of unit: what goes in and what comes out, checked where it leaves a journal or a queue. */
export interface UnitKind<Input, Output> {
  readonly kind: string;
  readonly version: number;
  unit(input: Input, draw: Draw): Unit;
  readonly readInput: (value: Json) => Input;
  readonly readOutput: (value: Json) => Output;
  /** What a port just returned, checked before anything of it is recorded. Throws `reply-invalid` in the name of `who`. */
  readonly takeOutput: (value: unknown, who: string) => Output;
}

export interface EnvironmentInput {
  readonly task: Task;
  readonly skill: Skill;
  readonly split: SplitName;
  readonly draw: Draw;
}

const list = z.array(z.unknown());
const someObject = z.looseObject({});
const text = z.string("must be a text");
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

export const generateKind = unitKind<ModelRequest, Reply>(
  "generate",
  z.looseObject({ model: z.string(), messages: list, maxTokens: z.number() }),
  z.looseObject({ text, finish: text, usage }, "must be { text, finish, usage }"),
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
  z.looseObject({ text, ended: text, toolCalls: list, changed: someObject, usage }),
);

export const commandKind = unitKind<CommandRequest, CommandRun>(
  "command",
  z.looseObject({ argv: z.array(z.string()), files: someObject, seconds: z.number() }),
  z.looseObject({ exitCode: z.number().nullable(), stdout: z.string(), stderr: z.string() }),
);

export const environmentKind = unitKind<EnvironmentInput, Outcome>(
  "environment",
  z.looseObject({ task: someObject, skill: someObject, split: z.string(), draw: someObject }),
  // what else an environment of somebody's own leaves out is its own affair
  z.looseObject({ kind: z.literal("scored"), hard: z.number(), soft: z.number() }),
);

function unitKind<Input, Output>(kind: string, input: z.ZodType, output: z.ZodType): UnitKind<Input, Output> {
  const check = (schema: z.ZodType, value: Json): unknown => {
    const { error } = schema.safeParse(value);
    // the value itself, not what the schema makes of it: bytes of artifacts come from it
    if (error === undefined) return value;
    const [issue] = error.issues;
    throw new WhetstoneError(
      "journal-damaged",
      `A unit of kind ${kind} has a wrong shape: ${issue?.path.join(".")} ${issue?.message}.`,
      { hint: "`whetstone journal check` says what is wrong; on a fleet, use one version everywhere." },
    );
  };
  return {
    kind,
    version: 1,
    unit: (given, draw) => ({ kind, version: 1, input: given as Json, draw }),
    readInput: (value) => check(input, value) as Input,
    readOutput: (value) => check(output, withUsage(value)) as Output,
    takeOutput(value, who) {
      const issue = output.safeParse(value).error?.issues[0];
      if (issue === undefined) return value as Output;
      const given = issue.path.reduce<unknown>(
        (at, name) => (at as Record<PropertyKey, unknown>)[name],
        value,
      );
      const what = issue.path.length === 0 ? "" : `"${issue.path.join(".")}" as `;
      throw new WhetstoneError(
        "reply-invalid",
        `${who} returned ${what}${typeof given === "number" ? given : JSON.stringify(given)}; it ${issue.message}.`,
        { hint: "Correct what it returns, then start the same command again: this reply was not recorded." },
      );
    },
  };
}

/** Early versions recorded replies of models that had not counted their tokens, or wrongly. They count as none. */
function withUsage(output: Json): Json {
  const reply = output as { readonly usage?: Json } | null;
  if (reply?.usage === undefined || usage.safeParse(reply.usage).success) return output;
  return { ...(output as JsonObject), usage: { inputTokens: 0, outputTokens: 0 } };
}
