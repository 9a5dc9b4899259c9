import { readObject } from "../../../core/json.ts";
import { join } from "node:path";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, recordAt, textAt } from "../../agents/event-fields.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { instantOf } from "../record-fields.ts";
import type { JsonRecord } from "../json-lines.ts";
import { readDatabase } from "../read-database.ts";
import { transcriptSource } from "../transcript-source.ts";

/** OpenCode: the database `<home>/opencode.db`. `home` is `~/.local/share/opencode`. */
export function openCodeSource({ home }: { readonly home: string }): TranscriptSource {
  const place = join(home, "opencode.db");
  return transcriptSource("opencode", place, {
    async find() {
      // conversations with a parent belong to subagents
      const rows = await readDatabase(place, (database) =>
        database
          .prepare(
            "select id, directory, time_updated from session where parent_id is null order by time_updated, id",
          )
          .all(),
      );
      return (rows ?? []).map((row) => ({
        path: place,
        changedAt: instantOf(row["time_updated"]) ?? 0,
        about: async () => ({ folder: textAt(row, "directory"), id: textAt(row, "id") }),
      }));
    },
    async read(builder, { id }) {
      const rows = await readDatabase(place, (database) => ({
        session: database.prepare("select directory, revert from session where id = ?").get(id),
        messages: database
          .prepare("select id, data from message where session_id = ? order by time_created, id")
          .all(id),
        parts: database.prepare("select message_id, data from part where session_id = ? order by id").all(id),
      }));
      if (rows?.session === undefined) return "It no longer exists.";
      builder.inFolder(textAt(rows.session, "directory"));
      const parts = Map.groupBy(rows.parts, (part) => textAt(part, "message_id"));
      // from there on, the person took it back
      const reverted = textAt(readObject(textAt(rows.session, "revert")), "messageID");
      for (const row of rows.messages) {
        const messageId = textAt(row, "id");
        if (reverted !== "" && messageId === reverted) break;
        const said = (parts.get(messageId) ?? []).map((part) => readObject(textAt(part, "data")) ?? {});
        readMessage(builder, { id: messageId, data: readObject(textAt(row, "data")) ?? {}, parts: said });
      }
      return undefined;
    },
  });
}

interface Message {
  readonly id: string;
  readonly data: JsonRecord;
  readonly parts: readonly JsonRecord[];
}

function readMessage(builder: ConversationBuilder, { id, data, parts }: Message): void {
  const time = recordAt(data, "time");
  builder.at(time["created"]);
  builder.at(time["completed"]);
  // a compaction's summary
  if (data["summary"] === true) return;
  // `synthetic`: added by the program, such as the files that a prompt names
  const texts = parts.filter((part) => part["type"] === "text" && part["ignored"] !== true);
  const isTyped = (part: JsonRecord) => part["synthetic"] !== true;
  if (textAt(data, "role") === "user") {
    builder.prompt(
      texts
        .filter(isTyped)
        .map((part) => textAt(part, "text"))
        .join("\n"),
    );
    for (const part of texts.filter((each) => !isTyped(each))) builder.output(textAt(part, "text"));
    return;
  }
  for (const part of parts) {
    if (part["type"] === "text") builder.answer(textAt(part, "text"), id);
    if (part["type"] === "tool") readTool(builder, part);
    if (part["type"] === "patch")
      for (const path of listAt(part, "files")) if (typeof path === "string") builder.file(path);
  }
}

function readTool(builder: ConversationBuilder, part: JsonRecord): void {
  const [name, state] = [textAt(part, "tool"), recordAt(part, "state")];
  const input = recordAt(state, "input");
  builder.call(name, input, name === "read" ? textAt(input, "filePath") : "");
  // the skill tool returns the skill, which the person installed
  if (name === "skill") builder.skill(textAt(input, "name"));
  else builder.output(textAt(state, "output"));
}
