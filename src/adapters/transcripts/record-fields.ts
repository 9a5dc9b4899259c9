import { isObject } from "../../core/json.ts";
import { isWriter, pathFields } from "../../core/reminders/reminder.ts";
import { listAt, textAt } from "../agents/event-fields.ts";

/** The text of a message whose content is a text or a list of blocks; blocks of other types are left out. */
export function contentText(message: unknown, types: readonly string[] = ["text"]): string {
  const content = isObject(message) ? message["content"] : undefined;
  if (typeof content === "string") return content;
  return listAt(message, "content")
    .filter((block) => types.includes(textAt(block, "type")))
    .map((block) => textAt(block, "text"))
    .filter((text) => text !== "")
    .join("\n");
}

/** The text of a message in Google's form: a text, a part, or a list of both; the model's thoughts are parts too. */
export function partsText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(partsText).join("");
  return isObject(content) && content["thought"] !== true ? textAt(content, "text") : "";
}

/** What was typed, and the files that it names, which the program puts behind it. */
export function splitReferenced(text: string): { readonly typed: string; readonly files: string } {
  const at = text.search(/\n--- Content from referenced files ---/);
  return at === -1 ? { typed: text, files: "" } : { typed: text.slice(0, at), files: text.slice(at) };
}

/** All texts in a value, however deep: for outputs of tools, whose shapes differ from tool to tool. */
export function textsWithin(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsWithin);
  return isObject(value) ? Object.values(value).flatMap(textsWithin) : [];
}

/**
 * A time as milliseconds since the epoch: from milliseconds, seconds, or a text. A text without a zone is UTC, as the
 * agents and SQLite write it. Undefined when it is no time.
 */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === "number" && Number.isFinite(value) && value > 0)
    return Math.round(value < secondsBelow ? value * 1000 : value);
  if (typeof value !== "string" || !startsWithDate.test(value)) return undefined;
  const text = value.trim().replace(" ", "T");
  const instant = Date.parse(text.includes("T") && !endsWithZone.test(text) ? `${text}Z` : text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** In milliseconds this is the spring of 1973, in seconds the year 5138. */
const secondsBelow = 1e11;
const startsWithDate = /^\s*\d{4}-\d{2}-\d{2}/;
const endsWithZone = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** The name under which a skill's folder is found: `plugin:skill`, `/skill` and `$skill` all name `skill`. */
export const calledSkill = (called: string): string =>
  called.trim().replace(/^[/$]/, "").split(":").at(-1) ?? "";

/** The skills whose SKILL.md a command or a path names, by their folders. */
export const skillsReadIn = (text: string): readonly string[] =>
  [...text.matchAll(/([^/\\\s'"`=*?${}]+)[/\\]SKILL\.md\b/g)].map((match) => match[1] ?? "");

/** The file that a tool call wrote or deleted; empty when it wrote none, or when nobody can tell. */
export function writtenPath(tool: string, input: unknown): string {
  if (!isWriter(tool)) return "";
  return pathFields.map((key) => textAt(input, key)).find((path) => path !== "") ?? "";
}
