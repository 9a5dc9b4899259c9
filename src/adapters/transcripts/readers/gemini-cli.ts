import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hashText } from "../../../core/canonical.ts";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, recordAt, textAt } from "../../agents/event-fields.ts";
import { isObject, readObject } from "../../../core/json.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { foldersIn, latestLogs } from "../log-files.ts";
import { partsText, splitReferenced, textsWithin } from "../record-fields.ts";
import { type JsonRecord, readJsonLines } from "../json-lines.ts";
import { realFolder } from "../../project-matcher.ts";
import { logsIn, transcriptSource } from "../transcript-source.ts";

/**
 * Gemini CLI: `<home>/tmp/<name>/chats/session-….jsonl`, a log of messages (in older versions, one object in
 * `.json`). The name is short or, in older versions, the folder's hash. `home` is `~/.gemini`.
 */
export function geminiCliSource({ home }: { readonly home: string }): TranscriptSource {
  const place = join(home, "tmp");
  /** A hash doesn't reveal its folder, so we compare it with the folder we look for. */
  const compared = new Map<string, string>();
  const folderOf = async (own: string) =>
    (await notedFolder(home, own)) || (compared.get(basename(own)) ?? "");
  return transcriptSource("gemini-cli", place, {
    async find(project) {
      for (const folder of [project, realFolder(project)]) compared.set(hashText(folder), folder);
      const logsOf = (own: string) => latestLogs(join(own, "chats"), isSession);
      return logsIn(await foldersIn(place), logsOf, folderOf);
    },
    async read(builder, { path }) {
      const { about, messages } = await readSession(path);
      if (textAt(about, "sessionId") === "") return "Its file is damaged.";
      if (textAt(about, "kind") === "subagent") return "It belongs to a subagent.";
      builder.inFolder(await folderOf(dirname(dirname(path))));
      builder.at(about["startTime"]);
      builder.at(about["lastUpdated"]);
      for (const message of messages) readMessage(builder, message);
      return undefined;
    },
  });
}

/** Subagents' files don't start this way. */
const isSession = /^session-.*\.jsonl?$/;

interface Session {
  readonly about: JsonRecord;
  readonly messages: readonly JsonRecord[];
}

/** A repeated message replaces the earlier one; `$rewindTo` removes that message and all after it. */
async function readSession(path: string): Promise<Session> {
  const records = path.endsWith(".json")
    ? [readObject(await readFile(path, "utf8")) ?? {}]
    : await readJsonLines(path);
  let about: JsonRecord = {};
  const messages = new Map<string, JsonRecord>();
  const put = (message: unknown) => isObject(message) && messages.set(textAt(message, "id"), message);
  for (const record of records) {
    const rewindTo = textAt(record, "$rewindTo");
    const update = recordAt(record, "$set");
    if (rewindTo !== "") {
      const ids = [...messages.keys()];
      for (const id of ids.slice(Math.max(0, ids.indexOf(rewindTo)))) messages.delete(id);
    } else if (textAt(record, "id") !== "") put(record);
    else {
      if (Array.isArray(update["messages"])) messages.clear();
      about = { ...about, ...record, ...update };
      for (const message of [...listAt(record, "messages"), ...listAt(update, "messages")]) put(message);
    }
  }
  return { about, messages: [...messages.values()] };
}

function readMessage(builder: ConversationBuilder, message: JsonRecord): void {
  builder.at(message["timestamp"]);
  const type = textAt(message, "type");
  if (type === "user") {
    builder.output(splitReferenced(partsText(message["content"])).files);
    builder.prompt(typedIn(message));
  }
  // after a resume, calls and their results are among the parts
  for (const part of listAt(message, "content")) {
    builder.output(textsWithin(recordAt(recordAt(part, "functionResponse"), "response")).join("\n"));
    const called = textAt(recordAt(part, "functionCall"), "name");
    if (called !== "") builder.tool(called);
  }
  if (type !== "gemini") return;
  builder.answer(partsText(message["content"]));
  for (const call of listAt(message, "toolCalls")) {
    const [name, input] = [textAt(call, "name"), recordAt(call, "args")];
    builder.call(name, input, name === "read_file" ? textAt(input, "file_path") : "");
    if (name === "activate_skill") builder.skill(textAt(input, "name"));
    for (const part of listAt(call, "result"))
      builder.output(textsWithin(recordAt(recordAt(part, "functionResponse"), "response")).join("\n"));
  }
}

/** Without the text the program adds: its own commands, the session's context, the files that a prompt names. */
function typedIn(message: JsonRecord): string {
  const shown = partsText(message["displayContent"]);
  const text = splitReferenced(shown === "" ? partsText(message["content"]) : shown)
    .typed.replace(/^\s*<(session_context|hook_context)>[\s\S]*?(?:<\/\1>|$)/, "")
    .trim();
  return text.startsWith("/") || text.startsWith("?") ? "" : text;
}

/** From the marker in the folder itself, or from the list of all short names. */
async function notedFolder(home: string, own: string): Promise<string> {
  const mark = await readFile(join(own, ".project_root"), "utf8").catch(() => "");
  if (mark.trim() !== "") return mark.trim();
  const names = recordAt(
    readObject(await readFile(join(home, "projects.json"), "utf8").catch(() => "")),
    "projects",
  );
  return Object.keys(names).find((folder) => names[folder] === basename(own)) ?? "";
}
