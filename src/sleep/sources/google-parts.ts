import { isObject } from "../../core/json.ts";
import { textAt } from "../../adapters/agents/event-fields.ts";

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
