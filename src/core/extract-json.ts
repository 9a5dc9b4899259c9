import { type JsonObject, isObject } from "./json.ts";

/**
 * Finds the one JSON object in a model's reply: the whole reply, else its first fenced block, else everything from
 * the first `{` to the last `}`. It repairs nothing, so a truncated reply gives null.
 *
 * @example
 * extractJson('Here it is: {"edits": []}'); // { edits: [] }
 */
export function extractJson(text: string): JsonObject | null {
  const whole = parse(text);
  if (whole !== undefined) return asObject(whole);
  const fenced = firstFenced(text);
  return (fenced === null ? null : asObject(parse(fenced))) ?? asObject(parse(betweenBraces(text)));
}

function firstFenced(text: string): string | null {
  const open = text.indexOf("```");
  const close = open < 0 ? -1 : text.indexOf("```", open + 3);
  // a fence inside an unfinished object belongs to one of its strings
  if (close < 0 || isOpen(text.slice(0, open))) return null;
  return text.slice(open + 3, close).replace(/^json\b/i, "");
}

function betweenBraces(text: string): string {
  const [first, last] = [text.indexOf("{"), text.lastIndexOf("}")];
  // an object inside an unfinished list, or followed by a second unfinished one, means a truncated reply
  if (first < 0 || isOpen(text.slice(0, first)) || isOpen(text.slice(last + 1))) return "";
  return text.slice(first, last + 1);
}

/** Whether a text ends inside brackets. Brackets within quotes don't count. */
function isOpen(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === "\\") at += 1;
    else if (depth > 0 && character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === "{" || character === "[") depth += 1;
    else if (depth > 0 && (character === "}" || character === "]")) depth -= 1;
  }
  return depth > 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const asObject = (value: unknown): JsonObject | null => (isObject(value) ? (value as JsonObject) : null);
