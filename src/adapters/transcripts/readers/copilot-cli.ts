import { join } from "node:path";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { recordAt, textAt } from "../../agents/event-fields.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { folderFiles } from "../log-files.ts";
import { instantOf, textsWithin } from "../record-fields.ts";
import { type JsonRecord, readJsonLines } from "../json-lines.ts";
import { readDatabase } from "../read-database.ts";
import { transcriptSource } from "../transcript-source.ts";

/**
 * Copilot CLI: conversations in the database `<home>/session-store.db`, words and actions in
 * `<home>/session-state/<id>/events.jsonl`. We have seen the database lack turns that the log has. `home` is
 * `~/.copilot`.
 */
export function copilotCliSource({ home }: { readonly home: string }): TranscriptSource {
  const place = join(home, "session-store.db");
  return transcriptSource("copilot-cli", place, {
    async find() {
      const rows = await readDatabase(place, (database) =>
        database
          .prepare(
            `select id, cwd, updated_at, (select max(timestamp) from turns where session_id = sessions.id) as last_turn
             from sessions order by id`,
          )
          .all(),
      );
      return (rows ?? []).map((row) => ({
        path: place,
        changedAt: Math.max(instantOf(row["updated_at"]) ?? 0, instantOf(row["last_turn"]) ?? 0),
        about: async () => ({ folder: textAt(row, "cwd"), id: textAt(row, "id") }),
      }));
    },
    async read(builder, { id }) {
      const rows = await readDatabase(place, (database) => ({
        session: database.prepare("select cwd, branch, created_at from sessions where id = ?").get(id),
        turns: database
          .prepare(
            `select user_message, assistant_response, timestamp from turns where session_id = ? order by turn_index`,
          )
          .all(id),
        files: database
          .prepare("select file_path, tool_name from session_files where session_id = ? order by rowid")
          .all(id),
      }));
      if (rows?.session === undefined) return "It no longer exists.";
      builder.inFolder(textAt(rows.session, "cwd"));
      builder.onBranch(textAt(rows.session, "branch"));
      builder.at(rows.session["created_at"]);
      const events = await eventsIn(join(home, "session-state", id));
      const isLogged = events.filter(isPrompt).length >= rows.turns.length;
      // without the log, outputs have no place among the turns, so they count as coming before all of them
      for (const event of events) {
        if (isLogged) readSaid(builder, event);
        else readOutput(builder, event);
        readEvent(builder, event);
      }
      for (const turn of isLogged ? [] : rows.turns) {
        builder.at(turn["timestamp"]);
        builder.prompt(textAt(turn, "user_message"));
        builder.answer(textAt(turn, "assistant_response"));
      }
      for (const file of rows.files) builder.call(textAt(file, "tool_name"), { path: file["file_path"] });
      return undefined;
    },
  });
}

async function eventsIn(folder: string): Promise<readonly JsonRecord[]> {
  const [log] = await folderFiles(folder, /^events\.jsonl$/);
  return log === undefined ? [] : readJsonLines(log.path);
}

/** The person's typed text; the program and its subagents also write in the person's name. */
const isPrompt = (event: JsonRecord): boolean => {
  const data = recordAt(event, "data");
  return (
    textAt(event, "type") === "user.message" &&
    ["", "user"].includes(textAt(data, "source")) &&
    !isSubagent(data)
  );
};

const isSubagent = (data: JsonRecord): boolean => textAt(data, "parentToolCallId") !== "";

function readSaid(builder: ConversationBuilder, event: JsonRecord): void {
  const data = recordAt(event, "data");
  builder.at(event["timestamp"]);
  if (isPrompt(event)) builder.prompt(textAt(data, "content"));
  if (textAt(event, "type") === "assistant.message" && !isSubagent(data))
    builder.answer(textAt(data, "content"));
  readOutput(builder, event);
}

function readOutput(builder: ConversationBuilder, event: JsonRecord): void {
  if (textAt(event, "type") === "tool.execution_complete")
    builder.output(textsWithin(recordAt(event, "data")["result"]).join("\n"));
}

function readEvent(builder: ConversationBuilder, event: JsonRecord): void {
  const data = recordAt(event, "data");
  const type = textAt(event, "type");
  if (type === "skill.invoked") builder.skill(textAt(data, "name"));
  if (type !== "tool.execution_start") return;
  const [name, input] = [textAt(data, "toolName"), recordAt(data, "arguments")];
  builder.call(name, input, name === "view" ? textAt(input, "path") : "");
  if (name === "skill") builder.skill(textAt(input, "skill"));
}
