import { type Json, readObject } from "../../../core/json.ts";
import type { InstalledSkill } from "../../../core/ports/agent.ts";
import type { AgentReading, CliFailure, EventReader } from "../agent-cli.ts";
import { listAt, recordAt, textAt } from "../event-fields.ts";
import { skillNamedIn } from "../install-skills.ts";
import { createRecord, readingOf } from "../rollout-record.ts";

/**
 * Reads `pi --mode json`. Its exit code is always 0: the last answer's `stopReason` decides, once the agent has ended
 * and doesn't retry. A skill counts as loaded if its SKILL.md was read.
 */
export function piReader(skills: readonly InstalledSkill[]): EventReader {
  const record = createRecord();
  let ended: AgentReading["ended"];
  let failure: CliFailure | undefined;
  let last: unknown;
  const reads = new Map<string, string>();

  function readAnswer(message: unknown): void {
    last = message;
    // text before a failure isn't an answer
    if (textAt(message, "stopReason") === "error") return;
    for (const part of listAt(message, "content")) {
      if (textAt(part, "type") === "text") record.say(textAt(part, "text"));
    }
  }

  function startTool(event: unknown): void {
    const [id, name, input] = [
      textAt(event, "toolCallId"),
      textAt(event, "toolName"),
      recordAt(event, "args"),
    ];
    record.call(id, name, input as Json);
    const skill = skillNamedIn(`${textAt(input, "path")} ${textAt(input, "command")}`, skills);
    if (skill !== undefined) reads.set(id, skill);
  }

  function endTool(event: Readonly<Record<string, unknown>>): void {
    const id = textAt(event, "toolCallId");
    const failed = event["isError"] === true;
    record.result(id, contentText(event["result"]), failed);
    const skill = reads.get(id);
    if (skill !== undefined && !failed) record.load(skill);
  }

  function readEnd(): void {
    const reason = textAt(last, "stopReason");
    const message = textAt(last, "errorMessage");
    if (reason === "stop") ended = "done";
    else if (reason === "length") ended = "length";
    else if (isRefusal(last)) ended = "refused";
    else failure = { message: message || "pi ended without an answer.", ...statusIn(message) };
  }

  function goOn(): void {
    ended = undefined;
    failure = undefined;
  }

  return {
    line(text) {
      const event = readObject(text);
      if (event === undefined) return;
      switch (event["type"]) {
        case "agent_start":
        case "auto_retry_start":
          return goOn();
        case "message_end":
          if (textAt(recordAt(event, "message"), "role") === "assistant") readAnswer(event["message"]);
          return;
        case "tool_execution_start":
          return startTool(event);
        case "tool_execution_end":
          return endTool(event);
        case "agent_end":
          return event["willRetry"] === true ? undefined : readEnd();
      }
    },
    read: () => readingOf(record, { ended, failure }),
  };
}

function isRefusal(answer: unknown): boolean {
  const message = textAt(answer, "errorMessage");
  if (message.includes("content_filter")) return true;
  // for a refusal in Anthropic's protocol it says only this, and for nothing else
  return textAt(answer, "api") === "anthropic-messages" && message === "An unknown error occurred";
}

const contentText = (result: unknown): string =>
  listAt(result, "content")
    .map((part) => textAt(part, "text"))
    .join("\n");

/** Messages start with the status: `401 The key…`, `429: {…}`. */
function statusIn(message: string): { readonly status?: number } {
  const status = Number(/^(\d{3})\b/.exec(message)?.[1]);
  return status >= 400 ? { status } : {};
}
