import type { Json } from "../json.ts";
import type { ToolCall } from "../ports/agent.ts";
import type { Performance } from "./performance.ts";

/** A tool call as recorded in a conversation. */
export const callText = ({ name, input }: Pick<ToolCall, "name" | "input">): string =>
  `[${name}] ${JSON.stringify(input)}`;

/** Its result. */
export const resultText = ({ name, output, failed }: Omit<ToolCall, "input">): string =>
  `[${name}${failed ? " failed" : ""}] ${output}`;

/**
 * Everything an agent said and did, in order, one JSON object per line. The format is that of Claude Code's own stream,
 * because people write patterns for it. The trace doesn't include the prompt.
 */
export function traceText({ text, toolCalls, conversation }: Performance): string {
  if (conversation === undefined)
    return [...toolCalls.flatMap((call) => [called(call), returned(call)]), spoken(text)].join("\n");
  const lines: string[] = [];
  const waiting: ToolCall[] = [];
  let begun = 0;
  for (const { role, content } of conversation) {
    const next = toolCalls[begun];
    if (role === "assistant" && next !== undefined && content === callText(next)) {
      begun += 1;
      waiting.push(next);
      lines.push(called(next));
    } else if (role === "assistant") lines.push(spoken(content));
    else {
      const at = waiting.findIndex((call) => content === resultText(call));
      lines.push(...waiting.splice(at, at < 0 ? 0 : 1).map(returned));
    }
  }
  return lines.join("\n");
}

const spoken = (text: string): string => line("assistant", { type: "text", text });
const called = ({ name, input }: ToolCall): string => line("assistant", { type: "tool_use", name, input });
const returned = ({ output, failed }: ToolCall): string =>
  line("user", { type: "tool_result", content: output, ...(failed ? { is_error: true } : {}) });

const line = (role: "assistant" | "user", part: Json): string =>
  JSON.stringify({ type: role, message: { role, content: [part] } });
