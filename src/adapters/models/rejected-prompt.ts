import type { Failure } from "./failure.ts";

/** Some 4xx answers are about this one prompt, not the key, model or run. The same prompt would be refused again. */
export function readRejection({ status, said, message }: Failure): "too-long" | "filtered" | undefined {
  if (status !== 400 && status !== 413 && status !== 422) return undefined;
  const text = `${said}\n${message}`;
  if (tooLong.test(text) && !asksForTooMuch(text)) return "too-long";
  return filtered.test(text) ? "filtered" : undefined;
}

// a completion that can't fit with any prompt is a wrong setting: the user must lower maxTokens
function asksForTooMuch(text: string): boolean {
  if (/max_(?:completion_)?tokens\W+(?:\w+\W+){0,4}too large/i.test(text)) return true;
  const sizes = /(\d+) in the messages, (\d+) in the completion|context limit: (\d+) \+ (\d+) >/i.exec(text);
  if (sizes === null) return false;
  return Number(sizes[2] ?? sizes[4]) > Number(sizes[1] ?? sizes[3]);
}

const tooLong =
  /context_length_exceeded|exceed_context_size|maximum (?:context|prompt) length|context (?:window|length|limit)|available context size|prompt is too long|input (?:is )?too long|input token count .*exceeds|reduce the length of the messages|range of input length/i;
const filtered =
  /content_filter|content[_ ]policy|responsible ?ai ?policy|data_inspection_failed|flagged as potentially violating|blocked by content filtering/i;
