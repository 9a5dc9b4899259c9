import { join } from "node:path";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, recordAt, textAt } from "../../agents/event-fields.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { folderFiles, foldersIn } from "../log-files.ts";
import { partsText, splitReferenced, textsWithin } from "../record-fields.ts";
import { folderIn, type JsonRecord, jsonLines } from "../json-lines.ts";
import { transcriptSource } from "../transcript-source.ts";

/** Qwen Code: one file per conversation, `<home>/projects/<folder>/chats/<id>.jsonl`. `home` is `~/.qwen`. */
export function qwenCodeSource({ home }: { readonly home: string }): TranscriptSource {
  const place = join(home, "projects");
  return transcriptSource("qwen-code", place, {
    async find() {
      const files = (await foldersIn(place)).map((folder) => folderFiles(join(folder, "chats"), /\.jsonl$/));
      return (await Promise.all(files)).flat().map((file) => ({
        ...file,
        about: async () => ({ folder: await folderIn(file.path) }),
      }));
    },
    async read(builder, { path }) {
      for await (const record of jsonLines(path)) readRecord(builder, record);
    },
  });
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

/** The program also writes in the person's name, and marks it. */
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
  const path = textAt(input, "file_path") || textAt(input, "absolute_path");
  builder.call(name, input, name === "read_file" ? path : "");
  if (name === "skill") builder.skill(textAt(input, "skill") || textAt(input, "name"));
}
