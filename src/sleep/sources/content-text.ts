import { listAt, textAt } from "../../adapters/agents/event-fields.ts";
import { isObject } from "../../core/json.ts";

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
