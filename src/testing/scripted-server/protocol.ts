import { isJsonObject } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Answer } from "./answer.ts";
import type { ProtocolName, ScriptedRequest, ScriptedTool } from "./chat-world.ts";
import type { HttpFailure } from "./fault.ts";

/** One wire format: how a request is read and how an answer or an error is written. */
export interface Protocol {
  readonly name: ProtocolName;
  /** Throws `BadBody` when a real provider would answer 400. */
  readRequest(body: JsonObject, key: string): ScriptedRequest;
  writeAnswer(answer: Answer): JsonObject;
  /** The whole event stream, one string for each event. */
  writeStream(answer: Answer, body: JsonObject): string[];
  writeError(failure: HttpFailure, id: string): JsonObject;
}

/** The request is not one that the protocol knows. */
export class BadBody extends Error {}

// constant, so that equal calls give equal bytes
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

/** A tool as a request tells of it; `schema` names the field with that of its arguments. */
export const readTool = (tool: JsonObject, schema = "parameters"): ScriptedTool => ({
  name: readText(tool["name"]),
  description: readText(tool["description"]),
  parameters: tool[schema] ?? {},
});

/** A text, or the texts of a list of content parts. */
export const readContent = (content: Json | undefined): string =>
  typeof content === "string"
    ? content
    : readList(content)
        .map((part) => readText(part["text"]))
        .filter((text) => text !== "")
        .join("\n");

export const joinSystem = (texts: readonly string[]): string =>
  texts.filter((text) => text !== "").join("\n\n");

/** Pieces of a text as a stream would bring them; never inside a character. */
export const splitDeltas = (text: string): readonly string[] => text.match(/[\s\S]{1,24}/gu) ?? [];

export const writeOpenaiError = (failure: HttpFailure): JsonObject => ({
  error: {
    message: failure.message,
    type: failure.openaiType,
    param: null,
    code: failure.openaiCode,
  },
});
