import { z } from "zod";
import type { JsonObject } from "../json.ts";
import type { Prompt } from "./prompt.ts";

/** A contract's reply as OpenAI-compatible servers are asked for it: `response_format`. Undefined where it is no JSON. */
export function responseFormat(prompt: Prompt<unknown>): JsonObject | undefined {
  if (prompt.read !== undefined) return undefined;
  const format = formats.get(prompt) ?? writeFormat(prompt);
  formats.set(prompt, format);
  return format;
}

// a judge is asked the same way thousands of times
const formats = new WeakMap<Prompt<unknown>, JsonObject>();

function writeFormat({ name, schema }: Prompt<unknown>): JsonObject {
  // as it is written, before defaults and clean-up; a check that no schema can say is left to the parser
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return { type: "json_schema", json_schema: { name, schema: written as JsonObject } };
}
