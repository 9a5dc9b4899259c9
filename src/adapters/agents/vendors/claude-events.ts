import { type Json, readObject } from "../../../core/json.ts";
import type { AgentReading, CliFailure, EventReader } from "../agent-cli.ts";
import { listAt, recordAt, textAt } from "../event-fields.ts";
import { createRecord, readingOf } from "../rollout-record.ts";

/** Reads `--output-format stream-json`. The subtype "success" lies: `is_error` decides. */
export function claudeReader(): EventReader {
  const record = createRecord();
  let offered: readonly string[] = [];
  let ended: AgentReading["ended"];
  let failure: CliFailure | undefined;
  /** The last answer was incomplete and the CLI asks for another. If none comes, the run ended this way. */
  let cut: "length" | "refused" | undefined;
  const skillCalls = new Map<string, string>();

  function readAnswer(event: Event): void {
    // the CLI presents its own error messages as the model's
    if (event["is_api_error_message"] === true || textAt(recordAt(event, "message"), "model") === synthetic)
      return;
    cut = undefined;
    for (const part of listAt(recordAt(event, "message"), "content")) {
      if (textAt(part, "type") === "text") record.say(textAt(part, "text"));
      if (textAt(part, "type") === "tool_use") {
        const [id, name, input] = [textAt(part, "id"), textAt(part, "name"), recordAt(part, "input")];
        record.call(id, name, input as Json);
        if (name === "Skill") skillCalls.set(id, textAt(input, "skill"));
      }
    }
  }

  function readResults(event: Event): void {
    if (textAt(event, "refused_message_id") !== "") cut = "refused";
    for (const part of listAt(recordAt(event, "message"), "content")) {
      if (textAt(part, "text").startsWith("Output token limit hit")) cut = "length";
      if (textAt(part, "type") !== "tool_result") continue;
      const id = textAt(part, "tool_use_id");
      const failed = (part as Event)["is_error"] === true;
      record.result(id, contentText(part), failed);
      const skill = skillCalls.get(id);
      if (skill === undefined || failed || recordAt(event, "tool_use_result")["success"] === false) continue;
      record.load(textAt(recordAt(event, "tool_use_result"), "commandName") || skill);
    }
  }

  function readEnd(event: Event): void {
    if (event["is_error"] !== true && textAt(event, "subtype") === "success") ended = "done";
    else if (textAt(event, "subtype") === "error_max_turns") ended = "turns";
    else if (textAt(event, "api_error") === "max_output_tokens") ended = "length";
    else if (textAt(event, "stop_reason") === "refusal") ended = "refused";
    else if (cut === undefined) failure = readFailure(event);
  }

  return {
    line(text) {
      const event = readObject(text);
      if (event === undefined) return;
      const type = textAt(event, "type");
      if (type === "system" && textAt(event, "subtype") === "init") offered = names(listAt(event, "skills"));
      if (type === "assistant") readAnswer(event);
      if (type === "user") readResults(event);
      if (type === "result") readEnd(event);
    },
    read: () => readingOf(record, { offered, ended: ended ?? cut, failure }),
  };
}

type Event = Readonly<Record<string, unknown>>;

/** The model name in messages that no model wrote. */
const synthetic = "<synthetic>";

function readFailure(event: Event): CliFailure {
  const message = [textAt(event, "result"), ...names(listAt(event, "errors"))].filter((text) => text !== "");
  const status = event["api_error_status"];
  return {
    message: message.join(" ") || `It ended with ${textAt(event, "subtype") || "an error"}.`,
    ...(typeof status === "number" ? { status } : {}),
  };
}

function contentText(part: unknown): string {
  return (
    textAt(part, "content") ||
    listAt(part, "content")
      .map((piece) => textAt(piece, "text"))
      .join("\n")
  );
}

const names = (list: readonly unknown[]): readonly string[] =>
  list.filter((name): name is string => typeof name === "string");
