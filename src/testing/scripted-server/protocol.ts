import { isJsonObject } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Answer } from "./answer.ts";
import type { ProtocolName, ScriptedRequest, ScriptedTool } from "./chat-world.ts";
import type { HttpFailure } from "./fault.ts";

/** One wire format: it reads requests, and writes answers and errors. */
export interface Protocol {
  readonly name: ProtocolName;
  /** Throws `BadBody` where a real provider would answer 400. */
  readRequest(body: JsonObject, key: string): ScriptedRequest;
  writeAnswer(answer: Answer): JsonObject;
  /** Writes the whole event stream, with one string for each event. */
  writeStream(answer: Answer, body: JsonObject): string[];
  writeError(failure: HttpFailure, id: string): JsonObject;
}

/** The request doesn't follow the protocol. */
export class BadBody extends Error {}

// constant, so that equal calls return equal bytes
export const createdAt = 1_767_225_600;

export function requireText(body: JsonObject, field: string): string {
  const value = body[field];
  if (typeof value !== "string" || value === "") throw new BadBody(`\`${field}\` must be a text.`);
  return value;
}

export function requireList(body: JsonObject, field: string): readonly JsonObject[] {
  const value = body[field];
  if (!Array.isArray(value)) throw new BadBody(`\`${field}\` must be a list.`);
  return value.filter(isJsonObject);
}

export const readList = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

export const readText = (value: Json | undefined): string => (typeof value === "string" ? value : "");

export const readNumber = (value: Json | undefined): number | undefined =>
  typeof value === "number" ? value : undefined;

/** Reads a tool from a request. `schema` is the name of the field with the schema of its arguments. */
export const readTool = (tool: JsonObject, schema = "parameters"): ScriptedTool => ({
  name: readText(tool["name"]),
  description: readText(tool["description"]),
  parameters: tool[schema] ?? {},
});

/** Reads a text, or the texts in a list of content parts. */
export const readContent = (content: Json | undefined): string =>
  typeof content === "string"
    ? content
    : readList(content)
        .map((part) => readText(part["text"]))
        .filter((text) => text !== "")
        .join("\n");

export const joinSystem = (texts: readonly string[]): string =>
  texts.filter((text) => text !== "").join("\n\n");

/** Splits a text into pieces as a stream would send them, never inside a character. */
export const splitDeltas = (text: string): readonly string[] => text.match(/[\s\S]{1,24}/gu) ?? [];

export const writeOpenaiError = (failure: HttpFailure): JsonObject => ({
  error: {
    message: failure.message,
    type: failure.openaiType,
    param: null,
    code: failure.openaiCode,
  },
});
