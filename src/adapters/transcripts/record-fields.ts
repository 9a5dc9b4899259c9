import { isObject } from "../../core/json.ts";
import { isWriter, pathFields } from "../../core/reminders/reminder.ts";
import { listAt, textAt } from "../agents/event-fields.ts";

/** A message's text, if its content is a string or a list of blocks. Blocks of other types are left out. */
export function contentText(message: unknown, types: readonly string[] = ["text"]): string {
  const content = isObject(message) ? message["content"] : undefined;
  if (typeof content === "string") return content;
  return listAt(message, "content")
    .filter((block) => types.includes(textAt(block, "type")))
    .map((block) => textAt(block, "text"))
    .filter((text) => text !== "")
    .join("\n");
}

/** A message's text in Google's format: a string, a part, or a list of both. The model's thoughts are parts too. */
export function partsText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(partsText).join("");
  return isObject(content) && content["thought"] !== true ? textAt(content, "text") : "";
}

/** The typed text and the files it names, which the program appends. */
export function splitReferenced(text: string): { readonly typed: string; readonly files: string } {
  const at = text.search(/\n--- Content from referenced files ---/);
  return at === -1 ? { typed: text, files: "" } : { typed: text.slice(0, at), files: text.slice(at) };
}

/** All strings in a value, however deep, for tool outputs, whose shapes differ from tool to tool. */
export function textsWithin(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsWithin);
  return isObject(value) ? Object.values(value).flatMap(textsWithin) : [];
}

/**
 * A time in milliseconds since the epoch, from milliseconds, seconds or a string. A string without a zone is UTC, as
 * the agents and SQLite write it. Undefined if it isn't a time.
 */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === "number" && Number.isFinite(value) && value > 0)
    return Math.round(value < secondsBelow ? value * 1000 : value);
  if (typeof value !== "string" || !startsWithDate.test(value)) return undefined;
  const text = value.trim().replace(" ", "T");
  const instant = Date.parse(text.includes("T") && !endsWithZone.test(text) ? `${text}Z` : text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** As milliseconds this is spring 1973, as seconds the year 5138. */
const secondsBelow = 1e11;
const startsWithDate = /^\s*\d{4}-\d{2}-\d{2}/;
const endsWithZone = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** The name of a skill's folder: `plugin:skill`, `/skill` and `$skill` all name `skill`. */
export const calledSkill = (called: string): string =>
  called.trim().replace(/^[/$]/, "").split(":").at(-1) ?? "";

/** The skills whose SKILL.md appears in a command or path, by their folders. */
export const skillsReadIn = (text: string): readonly string[] =>
  [...text.matchAll(/([^/\\\s'"`=*?${}]+)[/\\]SKILL\.md\b/g)].map((match) => match[1] ?? "");

/** The file that a tool call wrote or deleted; empty if it wrote none or we can't tell. */
export function writtenPath(tool: string, input: unknown): string {
  if (!isWriter(tool)) return "";
  return pathFields.map((key) => textAt(input, key)).find((path) => path !== "") ?? "";
}
