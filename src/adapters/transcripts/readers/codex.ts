import { basename, join } from "node:path";
import type { TranscriptRef, TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, recordAt, textAt } from "../../agents/event-fields.ts";
import { isObject, readObject } from "../../../core/json.ts";
import { contentText } from "../record-fields.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { filesBelow } from "../log-files.ts";
import { type JsonRecord, jsonLines, readJsonLines } from "../json-lines.ts";
import { transcriptSource } from "../transcript-source.ts";

/** Codex: `<home>/sessions/YYYY/MM/DD/rollout-….jsonl` and `<home>/archived_sessions`. `home` is `~/.codex`. */
export function codexSource({ home }: { readonly home: string }): TranscriptSource {
  const folders = ["sessions", "archived_sessions"].map((name) => join(home, name));
  const source = transcriptSource("codex", home, {
    async find() {
      const files = await Promise.all(folders.map((folder) => filesBelow(folder, conversationFile)));
      return files.flat().map((file) => ({ ...file, about: () => aboutOf(file.path) }));
    },
    async read(builder, { path }) {
      const records = await readJsonLines(path);
      const meta = recordAt(records.find(isMeta), "payload");
      if (isSubagent(meta)) return "It belongs to a subagent.";
      const git = recordAt(meta, "git");
      builder.byVersion(textAt(meta, "cli_version"));
      builder.inFolder(textAt(meta, "cwd"));
      builder.onBranch(textAt(git, "branch"));
      builder.atCommit(textAt(git, "commit_hash"));
      // the event has the typed text; the response record has what was sent, with much around it
      const promptOf = records.some((record) => eventPrompt(record) !== "") ? eventPrompt : responsePrompt;
      const summaries = records
        .filter((record) => record["type"] === "compacted")
        .map((record) => textAt(recordAt(record, "payload"), "message"));
      for (const record of records) {
        builder.at(record["timestamp"]);
        builder.prompt(promptOf(record));
        const payload = recordAt(record, "payload");
        // the summary for the next model is recorded as if it were an answer
        if (record["type"] === "response_item" && !isSummary(payload, summaries))
          readResponse(builder, payload);
        if (record["type"] === "event_msg") readEvent(builder, payload);
      }
      return undefined;
    },
  });
  return { ...source, list: async (wanted) => latestOfEach(await source.list(wanted)) };
}

/** While a conversation is being archived or compressed, it exists twice. */
function latestOfEach(refs: readonly TranscriptRef[]): readonly TranscriptRef[] {
  const latest = new Map<string, TranscriptRef>();
  for (const ref of refs) if (ref.changedAt >= (latest.get(ref.id)?.changedAt ?? 0)) latest.set(ref.id, ref);
  return [...latest.values()];
}

const conversationFile = /^rollout-.*\.jsonl(?:\.zst)?$/;

const isMeta = (record: JsonRecord): boolean => record["type"] === "session_meta";

async function aboutOf(path: string): Promise<{ readonly folder: string; readonly id: string }> {
  for await (const record of jsonLines(path)) {
    const meta = isMeta(record) ? recordAt(record, "payload") : {};
    return { folder: textAt(meta, "cwd"), id: textAt(meta, "id") || basename(path) };
  }
  return { folder: "", id: basename(path) };
}

const isSubagent = (meta: JsonRecord): boolean =>
  textAt(meta, "thread_source") === "subagent" ||
  isObject(recordAt(meta, "source")["subagent"]) ||
  textAt(recordAt(meta, "source"), "subagent") !== "";

function eventPrompt(record: JsonRecord): string {
  if (record["type"] !== "event_msg") return "";
  const payload = recordAt(record, "payload");
  if (textAt(payload, "type") === "user_message") return request(textAt(payload, "message"));
  const item = recordAt(payload, "item");
  return textAt(item, "type") === "UserMessage" ? request(contentText(item)) : "";
}

function responsePrompt(record: JsonRecord): string {
  const payload = recordAt(record, "payload");
  if (record["type"] !== "response_item" || textAt(payload, "role") !== "user") return "";
  const passed = recordAt(payload, "internal_chat_message_metadata_passthrough");
  const metadata = listAt(passed, "content_item_metadata");
  const texts = listAt(payload, "content").map((item, at) => {
    const by = textAt(recordAt(metadata[at], "provenance"), "type");
    const text = textAt(item, "text");
    return (by === "" || by === "user") && !preamble.test(text) ? text : "";
  });
  return request(texts.filter((text) => text !== "").join("\n"));
}

/** Texts that Codex sends in the person's name. */
const preamble =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|INSTRUCTIONS|permissions instructions|skill|skills_instructions|turn_aborted|subagent_notification|user_shell_command|current_time_reminder)\b)/;

/** Commands the person ran with `!`, and their output. */
const isShellCommand = (text: string): boolean => /^\s*<user_shell_command\b/.test(text);

/** An editor puts its open files before the request. */
const request = (text: string): string => text.split("## My request for Codex:").at(-1)?.trim() ?? "";

function isSummary(payload: JsonRecord, summaries: readonly string[]): boolean {
  const said = contentText(payload, ["output_text", "text"]).trim();
  return (
    payload["role"] === "assistant" && said !== "" && summaries.some((summary) => summary.includes(said))
  );
}

function readResponse(builder: ConversationBuilder, payload: JsonRecord): void {
  const type = textAt(payload, "type");
  if (type === "message") {
    const text = contentText(payload, ["input_text", "output_text", "text"]);
    if (payload["role"] === "assistant") builder.answer(text);
    if (payload["role"] === "user" && isShellCommand(text)) builder.output(text);
    // chosen with `$name`: its text is sent in the person's name
    if (payload["role"] === "user")
      builder.skill(/^\s*<skill>\s*<name>([^<]*)<\/name>/.exec(text)?.[1] ?? "");
  }
  if (type.endsWith("_call")) readCall(builder, payload);
  if (type.endsWith("_call_output")) builder.output(outputOf(payload["output"]));
}

function readCall(builder: ConversationBuilder, payload: JsonRecord): void {
  const given =
    textAt(payload, "arguments") || textAt(payload, "input") || JSON.stringify(payload["action"] ?? "");
  const name = textAt(payload, "name") || textAt(payload, "type").replace(/_call$/, "");
  builder.call(name, readObject(given) ?? given, given);
  // in arguments, the patch is a JSON string with line ends written as `\n`
  for (const [, path = ""] of given.matchAll(/\*\*\* (?:Add|Update|Delete) File: (.+?)(?=\\n|\r?\n|$)/g))
    builder.file(path.trim());
}

function readEvent(builder: ConversationBuilder, payload: JsonRecord): void {
  const type = textAt(payload, "type");
  if (type === "agent_message") builder.answer(textAt(payload, "message"));
  if (type === "thread_rolled_back") builder.takeBack(Number(payload["num_turns"]) || 0);
  if (type === "patch_apply_end") readChanges(builder, payload);
  const item = recordAt(payload, "item");
  if (textAt(item, "type") === "FileChange") readChanges(builder, item);
}

function readChanges(builder: ConversationBuilder, { changes }: JsonRecord): void {
  const paths = Array.isArray(changes)
    ? changes.map((change) => textAt(change, "path"))
    : Object.keys(isObject(changes) ? changes : {});
  for (const path of paths) builder.file(path);
}

/** A string, a string containing JSON with the output, or a list of strings. */
function outputOf(output: unknown): string {
  if (typeof output !== "string")
    return (
      contentText({ content: output }, ["input_text", "output_text", "text"]) || textAt(output, "content")
    );
  return textAt(readObject(output), "output") || output;
}
