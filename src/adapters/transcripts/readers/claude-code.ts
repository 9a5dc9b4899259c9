import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, recordAt, textAt } from "../../agents/event-fields.ts";
import { isObject } from "../../../core/json.ts";
import { contentText, instantOf, textsWithin } from "../record-fields.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { folderFiles, foldersIn } from "../log-files.ts";
import { readFrontmatter } from "../../../core/skill/frontmatter.ts";
import { isThere, listProjectFolder, readProjectText } from "../../project-file.ts";
import { folderIn, type JsonRecord, jsonLines } from "../json-lines.ts";
import { transcriptSource } from "../transcript-source.ts";

/** Claude Code: one file per conversation, `<home>/projects/<folder>/<id>.jsonl`. `home` is `~/.claude`. */
export function claudeCodeSource({ home }: { readonly home: string }): TranscriptSource {
  const place = join(home, "projects");
  let noted: Promise<ReadonlyMap<string, readonly JsonRecord[]>> | undefined;
  const initial = new Map<string, readonly string[]>();
  return transcriptSource("claude-code", place, {
    async find() {
      const files = (await foldersIn(place)).map((folder) => folderFiles(folder, conversationFile));
      return (await Promise.all(files)).flat().map((file) => ({
        ...file,
        about: async () => ({ folder: await folderIn(file.path) }),
      }));
    },
    async read(builder, { path }) {
      const reader = recordReader(builder);
      for await (const record of jsonLines(path)) reader(record);
      const pastes = (await (noted ??= readNoted(home))).get(basename(path, ".jsonl")) ?? [];
      for (const paste of pastes) builder.paste(await pasteOf(paste, home));
      const project = await folderIn(path);
      if (!initial.has(project)) initial.set(project, initialPrompts(project));
      for (const prompt of initial.get(project) ?? []) builder.paste(prompt);
    },
  });
}

/** Long pastes, by conversation. They are recorded in one `history.jsonl` for all conversations, which we read once. */
async function readNoted(home: string): Promise<ReadonlyMap<string, readonly JsonRecord[]>> {
  const log = join(home, "history.jsonl");
  const noted = new Map<string, JsonRecord[]>();
  if (!existsSync(log)) return noted;
  for await (const entry of jsonLines(log)) {
    const pastes = Object.values(recordAt(entry, "pastedContents")).filter(isObject);
    const session = textAt(entry, "sessionId");
    if (pastes.length > 0) noted.set(session, [...(noted.get(session) ?? []), ...pastes]);
  }
  return noted;
}

/** Large ones have their text in a separate file. */
async function pasteOf(paste: JsonRecord, home: string): Promise<string> {
  const stored = join(home, "paste-cache", `${basename(textAt(paste, "contentHash"))}.txt`);
  return textAt(paste, "content") || (await readFile(stored, "utf8").catch(() => ""));
}

/** A project's agents may start a conversation with their own prompt, and the transcript says that a person typed it. */
function initialPrompts(project: string): readonly string[] {
  const folder = join(project, ".claude", "agents");
  if (project === "" || !isThere(folder)) return [];
  return listProjectFolder(folder).flatMap(({ name }) => {
    const prompt = name.endsWith(".md") ? initialPromptIn(join(folder, name)) : undefined;
    return typeof prompt === "string" ? prompt.trim() : [];
  });
}

function initialPromptIn(path: string): unknown {
  try {
    const read = readFrontmatter(readProjectText(path));
    return "fields" in read ? read.fields["initialPrompt"] : undefined;
  } catch {
    // a folder with that name, or a link out of the project: no agent reads it
    return undefined;
  }
}

/** Subagents write next to it, as `agent-…`, or in folders below. */
const conversationFile = /^(?!agent-).*\.jsonl$/;

function recordReader(builder: ConversationBuilder): (record: JsonRecord) => void {
  /** A slash command is a prompt only if the model receives its text, which is the next record. */
  let command: { readonly name: string; readonly prompt: string } | undefined;

  function readUser(record: JsonRecord): void {
    const message = recordAt(record, "message");
    for (const block of listAt(message, "content")) {
      if (textAt(block, "type") === "tool_result") builder.output(contentText(block));
    }
    const text = contentText(message);
    if (record["isMeta"] === true) readMeta(text);
    else if (isTyped(record)) readTyped(text);
  }

  function readMeta(text: string): void {
    if (command === undefined || text === "" || isNoPrompt(text)) return;
    builder.prompt(command.prompt);
    if (text.startsWith("Base directory for this skill:")) builder.skill(command.name);
    command = undefined;
  }

  function readTyped(text: string): void {
    const name = tagged(text, "command-name");
    command = name === "" ? undefined : { name, prompt: `${name} ${tagged(text, "command-args")}` };
    const typed = withoutNotes(text);
    for (const printed of text.matchAll(commandOutput)) builder.output(printed[2] ?? "");
    if (name === "" && !isNoPrompt(typed)) builder.prompt(typed);
  }

  function readAssistant(record: JsonRecord): void {
    const message = recordAt(record, "message");
    // the program speaking for the model, for example about an outage
    if (record["isApiErrorMessage"] === true || textAt(message, "model") === "<synthetic>") return;
    for (const block of listAt(message, "content")) {
      const type = textAt(block, "type");
      if (type === "text") builder.answer(textAt(block, "text"), textAt(message, "id"));
      if (type === "tool_use") readTool(textAt(block, "name"), recordAt(block, "input"));
    }
  }

  function readTool(name: string, input: JsonRecord): void {
    builder.call(name, input, name === "Read" ? textAt(input, "file_path") : "");
    if (name === "Skill") builder.skill(textAt(input, "skill") || textAt(input, "command"));
  }

  function readAttachment(attachment: JsonRecord): void {
    const type = textAt(attachment, "type");
    // typed while the agent was working
    if (type === "queued_command" && textAt(attachment, "commandMode") === "prompt" && isTyped(attachment))
      readTyped(contentText({ content: attachment["prompt"] }));
    if (!ownAttachments.has(type)) for (const text of textsWithin(attachment)) builder.output(text);
  }

  let begunAt: number | undefined;

  /** A fork starts with another conversation's records, which we read separately. They predate its first own record. */
  function isCopy(record: JsonRecord): boolean {
    const at = instantOf(record["timestamp"]);
    begunAt ??= at;
    return isObject(record["forkedFrom"]) || (at ?? Infinity) < (begunAt ?? 0) - disorder;
  }

  return (record) => {
    if (isCopy(record) || record["isSidechain"] === true) return;
    if (!builder.isNew(textAt(record, "uuid"))) return;
    builder.byVersion(textAt(record, "version"));
    const type = textAt(record, "type");
    if (type !== "user" && type !== "assistant" && type !== "attachment") return;
    builder.inFolder(textAt(record, "cwd"));
    builder.onBranch(textAt(record, "gitBranch"));
    builder.at(record["timestamp"]);
    if (type === "user") readUser(record);
    if (type === "assistant") readAssistant(record);
    if (type === "attachment") readAttachment(recordAt(record, "attachment"));
  };
}

/** Records of one moment aren't always in order of their times. In milliseconds. */
const disorder = 500;

/** Attachments from the program itself. All others come from files, editors and servers. */
const ownAttachments = new Set(
  `queued_command prompt_snapshot instructions environment model date session_context skill_listing total_tokens_reminder
  command_permissions deferred_tools_delta remote_session_change`.split(/\s+/),
);

/** The output of commands the person ran with `!` or `/`. */
const commandOutput =
  /<(bash-stdout|bash-stderr|local-command-stdout|local-command-stderr)>([^]*?)(?:<\/\1>|$)/g;

/** Whether a person could have written a record's text, because the program also writes in the person's name. */
function isTyped(record: JsonRecord): boolean {
  const origin = textAt(recordAt(record, "origin"), "kind");
  return (
    record["isMeta"] !== true &&
    record["isCompactSummary"] !== true &&
    record["isVisibleInTranscriptOnly"] !== true &&
    record["toolUseResult"] === undefined &&
    (origin === "" || origin === "human")
  );
}

/** Interruptions, the program's own commands and their output, and notes from other agents. */
const isNoPrompt = (text: string): boolean =>
  /^\s*(?:\[Request interrupted|Caveat: The messages below|This session is being continued from a previous conversation)/.test(
    text,
  ) ||
  /^\s*<(?:command-(?:name|message)|local-command-\w+|bash-(?:input|stdout|stderr)|user-memory-input|task-notification|teammate-message|cross-session-message)\b/.test(
    text,
  );

/** Text that editors and hooks add to the person's words. */
const withoutNotes = (text: string): string =>
  text.replace(
    /<(system-reminder|ide_opened_file|ide_selection|user-prompt-submit-hook)\b[^>]*>[\s\S]*?<\/\1>\n?/g,
    "",
  );

const tagged = (text: string, tag: string): string =>
  new RegExp(`^(?:\\s*<command-[a-z]+>[^<]*</command-[a-z]+>)*?\\s*<${tag}>([\\s\\S]*?)</${tag}>`)
    .exec(text)?.[1]
    ?.trim() ?? "";
