import { type Json, isJsonObject } from "../../core/json.ts";
import { isFilled, isList } from "./shape.ts";

/** A conversation as one question; `problem` says why that isn't possible. */
export type Asked =
  | { readonly input: string; readonly system?: string; readonly turns: number }
  | { readonly problem: string };

/** Takes text or chat messages. System text is kept apart, and earlier turns become a labelled transcript. */
export function readConversation(value: Json | undefined): Asked {
  if (typeof value === "string") return { input: value, turns: 1 };
  if (!isList(value)) return { problem: "the input is neither text nor a list of messages" };
  const system: string[] = [];
  const turns: { readonly role: string; readonly text: string }[] = [];
  for (const message of value) {
    if (!isJsonObject(message) || typeof message["role"] !== "string")
      return { problem: "an input message has no role" };
    const text = readContent(message["content"]);
    if (text === undefined) return { problem: `a ${message["role"]} message contains more than text` };
    if (message["tool_calls"] !== undefined && message["tool_calls"] !== null)
      return { problem: "the conversation contains tool calls" };
    if (message["role"] === "system" || message["role"] === "developer")
      system.push(exampleTurn(message["name"]) + text);
    else if (message["role"] === "user" || message["role"] === "assistant")
      turns.push({ role: message["role"], text });
    else return { problem: `the conversation contains a ${message["role"]} message` };
  }
  const last = turns.at(-1);
  // if a prompt is all system text, the question is in there
  if (last === undefined) return { input: system.join("\n\n"), turns: 1 };
  if (last.role !== "user") return { problem: "the conversation ends with the assistant" };
  const earlier = turns
    .slice(0, -1)
    .map(({ role, text }) => `${role === "user" ? "User" : "Assistant"}: ${text}`);
  const input = earlier.length === 0 ? last.text : [...earlier, `User: ${last.text}`].join("\n\n");
  return { input, turns: turns.length, ...(system.length === 0 ? {} : { system: system.join("\n\n") }) };
}

/** Few-shot examples are system messages with a name such as `example_user`. */
const exampleTurn = (name: Json | undefined): string =>
  isFilled(name) ? `${name.replaceAll("_", " ")}: ` : "";

function readContent(content: Json | undefined): string | undefined {
  if (typeof content === "string") return content;
  if (!isList(content)) return undefined;
  const parts = content.map((part) =>
    isJsonObject(part) && part["type"] === "text" && typeof part["text"] === "string"
      ? part["text"]
      : undefined,
  );
  return parts.includes(undefined) ? undefined : parts.join("\n\n");
}
