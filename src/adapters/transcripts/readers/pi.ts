import { join } from "node:path";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, recordAt, textAt } from "../../agents/event-fields.ts";
import { contentText, instantOf } from "../record-fields.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { filesBelow } from "../log-files.ts";
import { type JsonRecord, jsonLines, readJsonLines } from "../json-lines.ts";
import { transcriptSource } from "../transcript-source.ts";

/** pi: `<home>/sessions/<folder>/<time>_<id>.jsonl`, a tree of entries in one file. `home` is `~/.pi/agent`. */
export function piSource({ home }: { readonly home: string }): TranscriptSource {
  const place = join(home, "sessions");
  return transcriptSource("pi", place, {
    async find() {
      const files = await filesBelow(place, /\.jsonl$/);
      return files.map((file) => ({
        ...file,
        async about() {
          const header = await headerOf(file.path);
          return { folder: textAt(header, "cwd"), id: textAt(header, "id") || undefined };
        },
      }));
    },
    async read(builder, { path }) {
      const [header = {}, ...entries] = await readJsonLines(path);
      const branch = Number(header["version"] ?? 1) < 2 ? entries : activeBranch(entries);
      if (branch === undefined) return "Its tree is damaged: entries are missing, duplicated or in a circle.";
      builder.inFolder(textAt(header, "cwd"));
      // a fork's first part belongs to another conversation, which we read separately
      const from = header["parentSession"] === undefined ? 0 : (instantOf(header["timestamp"]) ?? 0);
      for (const entry of branch) {
        if ((instantOf(entry["timestamp"]) ?? from) < from) continue;
        builder.at(entry["timestamp"]);
        if (entry["type"] === "message") readMessage(builder, recordAt(entry, "message"));
      }
      return undefined;
    },
  });
}

async function headerOf(path: string): Promise<JsonRecord> {
  for await (const record of jsonLines(path)) return record["type"] === "session" ? record : {};
  return {};
}

/** From the root to the last written entry, which is where the person is. Undefined if that path is broken. */
function activeBranch(entries: readonly JsonRecord[]): readonly JsonRecord[] | undefined {
  const byId = new Map(entries.map((entry) => [textAt(entry, "id"), entry]));
  if (byId.size !== entries.length || byId.has("")) return undefined;
  const branch: JsonRecord[] = [];
  let id = textAt(entries.at(-1), "id");
  while (id !== "") {
    const entry = byId.get(id);
    if (entry === undefined || branch.length === entries.length) return undefined;
    branch.push(entry);
    id = textAt(entry, "parentId");
  }
  return branch.toReversed();
}

function readMessage(builder: ConversationBuilder, message: JsonRecord): void {
  const role = textAt(message, "role");
  if (role === "user") readPrompt(builder, contentText(message));
  if (role === "toolResult") builder.output(contentText(message));
  if (role === "bashExecution") builder.output(textAt(message, "output"));
  if (role !== "assistant") return;
  builder.answer(contentText(message));
  for (const block of listAt(message, "content")) {
    if (textAt(block, "type") === "toolCall")
      readTool(builder, textAt(block, "name"), recordAt(block, "arguments"));
  }
}

/** `/skill:name words` is stored as the skill's text followed by the words. */
function readPrompt(builder: ConversationBuilder, text: string): void {
  const called = /^<skill name="([^"]+)"[^>]*>[\s\S]*?\n<\/skill>\s*/.exec(text);
  if (called === null) return builder.prompt(text);
  const [block, name = ""] = called;
  builder.prompt(`/skill:${name} ${text.slice(block.length)}`);
  builder.skill(name);
}

function readTool(builder: ConversationBuilder, name: string, input: JsonRecord): void {
  const path = name === "read" ? textAt(input, "path") : "";
  builder.call(name, input, `${path} ${textAt(input, "command")}`);
}
