import { z } from "zod";
import type { JsonObject } from "../json.ts";
import type { Prompt } from "./prompt.ts";

const made = new WeakMap<z.ZodType, JsonObject>();

/** A contract's reply as OpenAI-compatible servers are asked for it: `response_format`. Undefined where it is no JSON. */
export function responseFormat({ name, schema, read }: Prompt<unknown>): JsonObject | undefined {
  if (read !== undefined) return undefined;
  const known = made.get(schema);
  if (known !== undefined) return known;
  // as it is written, before defaults and clean-up; a check that no schema can say is left to the parser
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const format = { type: "json_schema", json_schema: { name, schema: written as JsonObject } };
  made.set(schema, format);
  return format;
}
