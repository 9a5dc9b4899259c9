import type { Json } from "../../core/json.ts";
import type { ToolCall } from "../../core/ports/agent.ts";
import type { Message } from "../../core/ports/model.ts";
import { callText, resultText } from "../../core/scorers/trace.ts";
import type { AgentReading } from "./agent-cli.ts";
import { clipOutput } from "./event-fields.ts";

/** Everything an event reader collects, in order. */
export interface RolloutRecord {
  say(text: string): void;
  /** A tool call starts; `id` pairs it with its result. */
  call(id: string, name: string, input: Json): void;
  /** Ignored if no call has this id, or it already has its result. */
  result(id: string, output: string, failed: boolean): void;
  load(skill: string): void;
  read(): Pick<AgentReading, "text" | "toolCalls" | "conversation" | "loaded">;
}

/** All of it, including how the run ended or failed, if known. */
export const readingOf = (
  record: Pick<RolloutRecord, "read">,
  { offered = [], ended, failure }: Partial<Pick<AgentReading, "offered" | "ended" | "failure">>,
): AgentReading => ({
  ...record.read(),
  offered,
  ...(ended === undefined ? {} : { ended }),
  ...(failure === undefined ? {} : { failure }),
});

export function createRecord(): RolloutRecord {
  let text = "";
  const toolCalls: ToolCall[] = [];
  const conversation: Message[] = [];
  const loaded: string[] = [];
  /** Positions in `toolCalls` of the calls still waiting for their result. */
  const open = new Map<string, number>();
  return {
    say(said) {
      if (said === "") return;
      text = said;
      conversation.push({ role: "assistant", content: said });
    },
    call(id, name, input) {
      open.set(id, toolCalls.length);
      toolCalls.push({ name, input, output: "", failed: false });
      conversation.push({ role: "assistant", content: callText({ name, input }) });
    },
    result(id, output, failed) {
      const at = open.get(id);
      const call = at === undefined ? undefined : toolCalls[at];
      if (at === undefined || call === undefined) return;
      open.delete(id);
      const kept = clipOutput(output);
      const done = { ...call, output: kept, failed };
      toolCalls[at] = done;
      conversation.push({ role: "user", content: resultText(done) });
    },
    load(skill) {
      if (!loaded.includes(skill)) loaded.push(skill);
    },
    read: () => ({ text, toolCalls, conversation, loaded }),
  };
}
