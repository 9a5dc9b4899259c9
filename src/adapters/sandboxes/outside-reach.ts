import { type WireBody, isObject } from "./wire.ts";

/**
 * What in a request would make the provider reach out for the agent (search, fetch a page, run code, open a URL)
 * or read what an earlier request left there: a way around the box, and a cost that the request does not bound.
 */
export function findOutsideReach(body: WireBody): string | undefined {
  for (const field of ["previous_response_id", "conversation", "prompt", "container"]) {
    if (body[field] != null) return `the field \`${field}\``;
  }
  if (list(body["mcp_servers"]).length > 0) return "the field `mcp_servers`";
  for (const tool of list(body["tools"])) {
    const type = isObject(tool) ? tool["type"] : undefined;
    if (typeof type === "string" && remoteTool.test(type)) return `the tool \`${type}\``;
  }
  const messages = [...list(body["messages"]), ...list(body["input"]), { content: body["system"] }];
  for (const message of messages) {
    const found = findRemoteContent(message, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

const remoteTool =
  /^(?:web_search|web_fetch|code_execution|code_interpreter|file_search|mcp|image_generation|advisor)/;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Content parts only: what a tool was called with is the agent's own business. */
function findRemoteContent(part: unknown, depth: number): string | undefined {
  if (!isObject(part) || depth > 4) return undefined;
  const source = isObject(part["source"]) ? part["source"] : {};
  const image = isObject(part["image_url"]) ? part["image_url"]["url"] : part["image_url"];
  const type = String(part["type"]);
  if (contentTypes.has(type)) {
    if (source["type"] === "url" || source["type"] === "file") return `a ${type} by address`;
    for (const url of [image, part["file_url"]]) {
      if (typeof url === "string" && !/^data:/i.test(url)) return `a ${type} by address`;
    }
    const file = isObject(part["file"]) ? part["file"]["file_id"] : part["file_id"];
    if (typeof file === "string") return `a ${type} by number`;
  }
  for (const inner of [...list(part["content"]), ...list(part["output"])]) {
    const found = findRemoteContent(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const contentTypes: ReadonlySet<string> = new Set([
  "image",
  "document",
  "image_url",
  "input_image",
  "input_file",
  "file",
]);
