import { basename, join } from "node:path";
import type { TranscriptRef, TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, recordAt, textAt } from "../../agents/event-fields.ts";
import { type ConversationBuilder, conversationBuilder } from "../conversation-builder.ts";
import { folderFiles, foldersIn } from "../log-files.ts";
import { partsText, skillsReadIn, splitReferenced, textsWithin, writtenPath } from "../record-fields.ts";
import { type JsonRecord, jsonLines } from "../json-lines.ts";
import { projectMatcher } from "../../project-matcher.ts";

/** Qwen Code: one file for each conversation, `<home>/projects/<folder>/chats/<id>.jsonl`. `home` is `~/.qwen`. */
export function qwenCodeSource({ home }: { readonly home: string }): TranscriptSource {
  const place = join(home, "projects");
  return {
    name: "qwen-code",
    place,
    async list({ project, since }) {
      const isOurs = await projectMatcher(project);
      const refs: TranscriptRef[] = [];
      for (const folder of await foldersIn(place)) {
        for (const { name, path, changedAt } of await folderFiles(join(folder, "chats"), /\.jsonl$/)) {
          if (changedAt >= since && (await isOurs(await folderOf(path))))
            refs.push({ id: `qwen-code:${basename(name, ".jsonl")}`, changedAt, path });
        }
      }
      return refs;
    },
    async read(ref) {
      const builder = conversationBuilder({ ...ref, source: "qwen-code" });
      for await (const record of jsonLines(ref.path)) readRecord(builder, record);
      return builder.finish();
    },
  };
}

async function folderOf(path: string): Promise<string> {
  for await (const record of jsonLines(path)) {
    const folder = textAt(record, "cwd");
    if (folder !== "") return folder;
  }
  return "";
}

function readRecord(builder: ConversationBuilder, record: JsonRecord): void {
  if (!builder.isNew(textAt(record, "uuid"))) return;
  builder.inFolder(textAt(record, "cwd"));
  builder.onBranch(textAt(record, "gitBranch"));
  builder.at(record["timestamp"]);
  const type = textAt(record, "type");
  const parts = listAt(recordAt(record, "message"), "parts");
  if (type === "user") readUser(builder, record, partsText(parts));
  if (type === "assistant") builder.answer(partsText(parts));
  for (const part of parts) {
    const call = recordAt(part, "functionCall");
    if (type === "assistant" && textAt(call, "name") !== "") readCall(builder, call);
    builder.output(textsWithin(recordAt(recordAt(part, "functionResponse"), "response")).join("\n"));
  }
}

/** The program also writes in the person's name, and says so. */
function readUser(builder: ConversationBuilder, record: JsonRecord, text: string): void {
  const by = textAt(record, "provenance");
  const { typed, files } = splitReferenced(
    text.replace(/^\s*<system-reminder>[^]*?<\/system-reminder>\s*/, ""),
  );
  const isPerson = (by === "" || by === "real_user") && !/^\s*[/?]/.test(typed);
  if (isPerson) builder.output(files);
  if (isPerson) builder.prompt(typed);
  else builder.output(text);
}

function readCall(builder: ConversationBuilder, call: JsonRecord): void {
  const [name, input] = [textAt(call, "name"), recordAt(call, "args")];
  builder.tool(name);
  builder.file(writtenPath(name, input));
  if (name === "skill") builder.skill(textAt(input, "skill") || textAt(input, "name"));
  if (name === "read_file")
    for (const skill of skillsReadIn(textAt(input, "file_path") || textAt(input, "absolute_path")))
      builder.skill(skill);
}
