import { type Wire, type WireBody } from "../wire.ts";
import { isObject, readObject } from "../../../core/json.ts";
import { chatFields } from "./allow-chat.ts";
import { checkThinking, messagesFields } from "./allow-messages.ts";
import { responsesFields } from "./allow-responses.ts";
import {
  type FieldCheck,
  type FieldTable,
  fields,
  type Inspection,
  RequestRefusal,
  refuse,
} from "./field-checks.ts";
import { cannotBeAllowed, neverAllowed, plainValue } from "./shared-fields.ts";

/** A request as we will send it, and the most it can use. */
export interface AllowedRequest {
  readonly model: string;
  /** The JSON to send. */
  readonly text: string;
  /** The answer's token limit: the one we send, or the assumed one if we can't send any. */
  readonly maxTokens: number;
  /** Input tokens beyond the bytes of `text`; negative if an image's bytes aren't text. */
  readonly moreTokens: number;
  /** Names of the fields we removed. */
  readonly removed: readonly string[];
}

export interface AllowOptions {
  /** The limit for answers whose request doesn't set one. */
  readonly maxTokens: number;
  /** Whether to send that limit. Otherwise the request stays as open as it came. */
  readonly mustBound: boolean;
  /** Plain fields that the settings add, by name. */
  readonly allow: readonly string[];
}

/** The part of a request we send on: fields this wire needs, typed and limited. A string is the reason for refusal. */
export function allowRequest(wire: Wire, read: string, options: AllowOptions): AllowedRequest | string {
  if (isDeep(read)) return `The request is nested more than ${mostDepth} levels deep.`;
  const asked = readObject(read);
  if (asked === undefined) return "The body isn't a JSON object.";
  const look: Inspection = { removed: new Set(), imageTokens: 0, imageBytes: 0 };
  try {
    const kept = rulesFor(wire, options.allow)(asked, "", look) as WireBody;
    const [body, maxTokens] = withBound(wire, kept, options);
    if (wire === "anthropic-messages") checkThinking(body, maxTokens);
    const ownTokens = Array.isArray(body["tools"]) ? toolPromptTokens : 0;
    return {
      model: body["model"] as string,
      text: JSON.stringify(askForUsage(wire, body)),
      maxTokens,
      moreTokens: look.imageTokens - look.imageBytes + ownTokens,
      removed: [...look.removed].map((name) => printable(name, 100)),
    };
  } catch (error) {
    if (error instanceof RequestRefusal) return printable(error.message, 300);
    throw error;
  }
}

/** The text providers add for tools. The largest published one is below 1,500 tokens. */
const toolPromptTokens = 2000;

const wireFields: Readonly<Record<Wire, FieldTable>> = {
  "openai-chat": chatFields,
  "openai-responses": responsesFields,
  "anthropic-messages": messagesFields,
};

function rulesFor(wire: Wire, allow: readonly string[]): FieldCheck {
  const added = allow.filter((name) => !cannotBeAllowed(name)).map((name) => [name, plainValue] as const);
  return fields({ ...Object.fromEntries(added), ...wireFields[wire], ...neverAllowed });
}

/** One limit under one name, so that no server can read a larger one. */
function withBound(wire: Wire, body: WireBody, options: AllowOptions): readonly [WireBody, number] {
  const names = {
    "anthropic-messages": ["max_tokens"],
    "openai-responses": ["max_output_tokens"],
    "openai-chat": ["max_completion_tokens", "max_tokens"],
  }[wire];
  const present = names.filter((name) => Object.hasOwn(body, name));
  if (present.length === 0 && !options.mustBound) return [body, options.maxTokens];
  const maxTokens =
    present.length === 0 ? options.maxTokens : Math.min(...present.map((name) => body[name] as number));
  const rest = Object.entries(body).filter(([name]) => !names.includes(name));
  const name = present[0] ?? names.at(-1) ?? refuse("This wire has no token limit.");
  return [{ ...Object.fromEntries(rest), [name]: maxTokens }, maxTokens];
}

/** A streamed chat only reports its usage if asked. */
function askForUsage(wire: Wire, body: WireBody): WireBody {
  if (wire !== "openai-chat" || body["stream"] !== true) return body;
  const options = isObject(body["stream_options"]) ? body["stream_options"] : {};
  return { ...body, stream_options: { ...options, include_usage: true } };
}

const mostDepth = 100;

/** Checked before parsing, because millions of brackets need a large heap. */
function isDeep(text: string): boolean {
  let [depth, isText] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === backslash) at += 1;
      else if (code === quote) isText = false;
    } else if (code === quote) isText = true;
    // only this bit differs between [ { and ] }
    else if ((code | 0x20) === 0x7b) depth += 1;
    else if ((code | 0x20) === 0x7d) depth -= 1;
    if (depth > mostDepth) return true;
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];

/** The agent chooses the names. */
const printable = (name: string, most: number): string => name.replace(/[^\x20-\x7e×]/g, "?").slice(0, most);
