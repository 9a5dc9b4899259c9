import { readFile } from "node:fs/promises";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, parseEvent, recordAt, textAt } from "../../agents/event-fields.ts";
import { isObject } from "../../../core/json.ts";
import { contentText, skillsReadIn, textsWithin } from "../record-fields.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { filesBelow } from "../log-files.ts";
import type { JsonRecord } from "../json-lines.ts";
import { transcriptSource } from "../transcript-source.ts";

/**
 * Trajectories in the Agent Trajectory Interchange Format, v1.0 to v1.7, one in each `.json` file below the folder. The format
 * has no place for a working folder: it is read from `extra.project` or `extra.cwd`, and one without it belongs to nobody.
 */
export function atifSource({ folder }: { readonly folder: string }): TranscriptSource {
  return transcriptSource("atif", folder, {
    async find() {
      const files = await filesBelow(folder, /\.json$/);
      return files.map((file) => ({
        ...file,
        async about() {
          const trajectory = await readTrajectory(file.path);
          const id = textAt(trajectory, "session_id") || textAt(trajectory, "trajectory_id") || undefined;
          return { folder: folderOf(trajectory), id };
        },
      }));
    },
    async read(builder, { path: file }) {
      const trajectory = await readTrajectory(file);
      if (!/^ATIF-v1\.\d+$/.test(textAt(trajectory, "schema_version")))
        return "It is no trajectory of ATIF v1.";
      const extra = recordAt(trajectory, "extra");
      builder.inFolder(folderOf(trajectory));
      builder.onBranch(textAt(extra, "branch"));
      builder.atCommit(textAt(extra, "commit"));
      for (const step of listAt(trajectory, "steps")) if (isObject(step)) readStep(builder, step);
      for (const name of textsWithin(extra["tools"])) builder.tool(name);
      for (const name of textsWithin(extra["skills"])) builder.skill(name);
      for (const path of textsWithin(extra["files"])) builder.file(path);
      return undefined;
    },
  });
}

function readStep(builder: ConversationBuilder, step: JsonRecord): void {
  // from an earlier trajectory, which is read by itself
  if (step["is_copied_context"] === true) return;
  builder.at(step["timestamp"]);
  const source = textAt(step, "source");
  const text = contentText({ content: step["message"] });
  if (source === "user") builder.prompt(text);
  if (source === "agent") builder.answer(text);
  for (const call of listAt(step, "tool_calls")) {
    const [name, input] = [textAt(call, "function_name"), recordAt(call, "arguments")];
    builder.call(name, input);
    if (/skill/i.test(name)) builder.skill(textAt(input, "skill") || textAt(input, "name"));
    if (/read|view/i.test(name))
      for (const skill of textsWithin(input).flatMap(skillsReadIn)) builder.skill(skill);
  }
  for (const result of listAt(recordAt(step, "observation"), "results")) builder.output(contentText(result));
}

const readTrajectory = async (path: string): Promise<JsonRecord> =>
  parseEvent(await readFile(path, "utf8").catch(() => "")) ?? {};

function folderOf(trajectory: JsonRecord): string {
  const extra = recordAt(trajectory, "extra");
  return textAt(extra, "project") || textAt(extra, "cwd");
}
